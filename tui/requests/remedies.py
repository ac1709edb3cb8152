"""Has what would help an application tried on copies while nothing else is asked, for the strip of the main screen."""

import asyncio
from typing import ClassVar

from tui import messages
from tui.answers import OpenQuestion, WhyAnswer, WhySubject
from tui.picture import APPLICATION
from tui.render.verdict_text import NEVER
from tui.requests.context import Context, Routes
from tui.screens.cluster import ClusterScreen
from tui.session_protocol import QuestionsProtocol


class RemedyRequests:
    """Works on one application at a time; rests while another screen is on top."""

    REST_S: ClassVar[float] = 1.0
    """How long the cursor stays on an application before its remedies are tried, and between two looks at whether
    another screen is still on top [s]."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._task: asyncio.Task[None] | None = None

    def routes(self) -> Routes:
        """What is carried out here."""
        return {messages.RemediesWanted: self._want}

    async def _want(self, event: messages.RemediesWanted) -> None:
        if self._task is not None:
            _ = self._task.cancel()
            self._task = None
        connection, cluster = self._context.connection, self._context.cluster
        if event.application is None or cluster is None or connection is None:
            return
        if connection.questions is not None and connection.clock is not None:
            work = self._work(event.application, connection.questions, cluster)
            self._task = asyncio.get_running_loop().create_task(work)

    async def _work(self, number: int, questions: QuestionsProtocol, cluster: ClusterScreen) -> None:
        await asyncio.sleep(self.REST_S)
        opened = await questions.ask(WhySubject(APPLICATION, str(number)))
        try:
            await self._follow(number, opened, questions, cluster)
        finally:
            await questions.close(opened.number)

    async def _follow(
        self, number: int, opened: OpenQuestion, questions: QuestionsProtocol, cluster: ClusterScreen
    ) -> None:
        answer, is_tried = opened.answer, False
        while not _is_complete(answer):
            if cluster.is_covered:
                await asyncio.sleep(self.REST_S)
            elif answer.doing:
                answer = await questions.more(opened.number)
            elif is_tried or answer.failure or answer.why is None or answer.why.verdict not in NEVER:
                return
            else:
                is_tried = True
                if (await questions.try_remedies(opened.number)).refusal:
                    return
                answer = await questions.more(opened.number)
            if answer.why is not None and (found := answer.why.would_help) is not None:
                cluster.strip.take_remedies(number, found)
                cluster.redraw()


def _is_complete(answer: WhyAnswer) -> bool:
    """Whether every remedy was tried; what comes after that is not shown."""
    found = answer.why.would_help if answer.why is not None else None
    return found is not None and found.tried == found.of > 0
