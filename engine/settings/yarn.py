"""The settings of yarn-site.xml that FifoScheduler reads, and every ResourceManager around its scheduler."""

from typing import Final

from engine.settings import site
from engine.settings.table import SettingTable

YARN_27: Final = SettingTable("fifo", (*site.CHOICE, *site.SIZES, site.PORT, *site.RESOURCE_MANAGER))
YARN_34: Final = SettingTable("fifo-3.4", (*site.CHOICE, *site.SIZES_34, site.PORT, *site.RESOURCE_MANAGER_34))


def yarn_table(era: str) -> SettingTable:
    """The settings of a release, `2.7` or `3.4`."""
    return YARN_34 if era == "3.4" else YARN_27
