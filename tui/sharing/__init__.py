"""The session's door on a unix socket: what may be asked of a session, asked from another terminal.

The methods, arguments and answers are those of `tui.protocol.session`; there is no second protocol. `link` has the
messages and the visitor's side, which connects again by itself; `remote` is a session behind a link; `session_server`
answers beside the session; `socket_directory` is the folder of sockets and tokens, which only its owner may use.
"""
