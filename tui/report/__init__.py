"""Reports as one self-contained HTML file: opens from disk, fetches nothing, runs nothing, prints.

A `page.ReportPage` is the file, made of `ReportSection`s; `sweep_page` draws figures and needs the extra `report`.
What is written as a page and as Markdown alike is made of the `ReportPart`s of `parts`.
"""
