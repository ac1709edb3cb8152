"""The session's door on a unix socket: what may be asked of a session, asked from another terminal.

The methods, arguments and answers are those of `tui.protocol.session`, written by `tui.protocol.session`; there is no
second protocol.

- `meeting_place`: the folder where sockets and tokens lie; only its owner may go there.
- `wire`: the messages, and how one follows the other on a socket.
- `calls`: which methods there are, of which types, and who may call which.
- `door`: the session's side; `guest` is one visitor of it, `shared_session` puts the door beside a session.
- `link`: the visitor's side, which connects again by itself; `remote` is a session behind a link.
"""
