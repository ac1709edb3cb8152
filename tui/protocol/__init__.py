"""What crosses between a session and a screen: pictures, answers, forms, messages."""
