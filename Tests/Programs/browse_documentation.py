"""Reads the documentation as a person does, in Chromium.

    browse_documentation.py <folder>                             checks every page
    browse_documentation.py <folder> <page>… --pictures <folder>    takes pictures of the pages, light and dark
"""

import argparse
import functools
import http.server
import json
import os
import sys
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

LIMIT = 1500  # seconds; only ends what hangs

# Goes to each page as a click on a link does, without loading the site anew, and returns what it shows. A page is there when its title is.
VISIT = """
const [pages, done] = arguments;
const router = document.querySelector('#app').__vue__.$router;
const end = performance.now() + 1200000;  // of all pages together: what is missing then is reported, before the script's own limit
async function visit({path, title}) {
    if (router.currentRoute.path.replace(/\/$/, '') !== path) await router.push(path);
    const words = text => text.replace(/\\s+/g, ' ').trim();
    const heading = () => words(document.querySelector('main h1, .hero h1')?.textContent ?? '');
    const empty = () => [...document.querySelectorAll('pre')].filter(each => !each.textContent.trim()).length;  // until it has its colours
    while (performance.now() < end && (heading() !== words(title) || empty() > 0)) await new Promise(requestAnimationFrame);
    return {
        path, heading: heading(), words: document.querySelector('#app').innerText.length,
        links: [...document.querySelectorAll('#app a[href]')].map(link => link.getAttribute('href')),
        anchors: [...document.querySelectorAll('#app [id]')].map(each => each.id),
        empty: empty(),
        images: [...document.querySelectorAll('#app img')].map(each => each.getAttribute('src')),
    };
}
(async () => { const seen = []; for (const page of pages) seen.push(await visit(page)); return seen; })().then(done, error => done(String(error)));
"""


class Server(http.server.SimpleHTTPRequestHandler):
    """Serves the folder; what is missing is in `missing`."""

    missing = set()
    # What docc's pages ask for, and does without.
    OPTIONAL = {"/theme-settings.json", "/favicon.ico"}

    def log_message(self, *arguments):
        pass

    def send_error(self, code, *arguments, **options):
        if self.path not in self.OPTIONAL:
            self.missing.add(unquote(self.path))
        super().send_error(code, *arguments, **options)


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def browser(width, height, *arguments):
    options = webdriver.ChromeOptions()
    # As root it has no sandbox; it sees only our own pages.
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={width},{height}", *arguments]:
        options.add_argument(argument)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    driver.set_script_timeout(LIMIT)
    driver.command_executor.client_config.timeout = LIMIT  # of each answer; 120 s by default
    return driver


def wait(driver, what, condition):
    return WebDriverWait(driver, LIMIT, poll_frequency=0.05).until(lambda _: condition(), what)


def pages(folder):
    """The path and the title of every page."""
    data = Path(folder, "data")
    for path in sorted(data.rglob("*.json")):
        page = json.loads(path.read_text())
        yield {"path": "/" + str(path.relative_to(data))[: -len(".json")], "title": title(page)}


def title(page):
    for section in page.get("sections", []):
        if section.get("kind") in ("hero", "tasks") and section.get("title"):
            return section["title"]
    return page["metadata"]["title"]


def check(folder):
    base = serve(folder)
    everything = list(pages(folder))
    tutorials = [page for page in everything if "/tutorials/" in page["path"]]
    articles = [page for page in everything if page not in tutorials]
    # Narrow, so that the list of all pages is not drawn on each of them.
    driver = browser(700, 1000)
    try:
        open_page(driver, base, "/documentation")
        seen = visit(driver, articles)
        faults = list(errors(driver))
    finally:
        driver.quit()

    driver = browser(1400, 1000)
    try:
        for page in tutorials:
            open_page(driver, base, page["path"])
            seen += visit(driver, [page])
            faults += tutorial(driver, page, folder)
        faults += search(driver, base)
        faults += errors(driver)
    finally:
        driver.quit()
    faults += judge(articles + tutorials, seen, folder)
    faults += [f"missing: {path}" for path in sorted(Server.missing)]
    print(f"{len(everything)} pages, {sum(len(page['links']) for page in seen)} links")
    return faults


def open_page(driver, base, path):
    driver.get(base + path)
    wait(driver, path, lambda: driver.find_elements(By.CSS_SELECTOR, "h1"))


def visit(driver, wanted):
    seen = driver.execute_async_script(VISIT, wanted)
    if isinstance(seen, str):
        sys.exit(f"A page was not opened: {seen}")
    return seen


def judge(expected, seen, folder):
    anchors = {page["path"].lower(): set(page["anchors"]) for page in seen}
    judged = set()  # a link of the list of all pages is on each page
    for page, wanted in zip(seen, expected):
        if " ".join(page["heading"].split()) != " ".join(wanted["title"].split()):
            yield f"{page['path']}: its title is \"{page['heading']}\" and not \"{wanted['title']}\""
        if page["empty"]:
            yield f"{page['path']}: a block of code is empty"
        for image in page["images"]:
            if image and image.startswith("/") and not Path(folder, unquote(image[1:])).is_file():
                yield f"{page['path']}: the picture {image} is missing"
        for link in page["links"]:
            link = urlsplit(link)
            if link.scheme or link.netloc:
                continue
            if link.path and link in judged:
                continue
            judged.add(link)
            path = unquote(link.path).rstrip("/").lower() or page["path"].lower()
            if path not in anchors:
                yield f"{page['path']}: {link.path} leads nowhere"
            elif link.fragment and unquote(link.fragment) not in anchors[path] | {"app-main", "app-top"}:
                yield f"{page['path']}: {link.path} has no #{link.fragment}"


def errors(driver):
    for entry in driver.get_log("browser"):
        if entry["level"] == "SEVERE" and not any(path in entry["message"] for path in Server.OPTIONAL):
            yield f"the browser says: {entry['message']}"


def tutorial(driver, page, folder):
    """Each step shows the code that it is about when it is scrolled to."""
    data = json.loads(Path(folder, f"data{page['path']}.json").read_text())
    steps = [step for section in data["sections"] for task in section.get("tasks", []) for step in task["stepsSection"] if step["type"] == "step"]
    if steps:
        shown = driver.execute_script("return document.querySelectorAll('.step').length")
        if shown != len(steps):
            yield f"{page['path']}: {shown} steps are shown, and not {len(steps)}"
        for number, step in enumerate(steps[:shown]):
            if not step.get("code"):
                continue
            code = data["references"][step["code"]]
            driver.execute_script("document.querySelectorAll('.step')[arguments[0]].scrollIntoView({block: 'center'})", number)
            lines = [line.strip() for line in code["content"] if line.strip()]

            def is_shown():
                text = driver.execute_script("return [...document.querySelectorAll('.asset-container pre, .code-listing, .code-preview pre')].map(each => each.innerText).join('\\n')")
                return all(line in text for line in lines)

            try:
                WebDriverWait(driver, LIMIT, poll_frequency=0.05).until(lambda _: is_shown())
            except Exception:
                yield f"{page['path']}: a step does not show {code['fileName']}"


def search(driver, base):
    """The filter of the list beside a page finds a function by its name."""
    name = "withTemporaryStorage"
    open_page(driver, base, "/documentation/storedvalues")
    wait(driver, "the list", lambda: driver.find_elements(By.CSS_SELECTOR, ".navigator-card-item"))
    fields = lambda: [each for each in driver.find_elements(By.CSS_SELECTOR, "input") if each.is_displayed()]
    wait(driver, "the filter", fields)[0].send_keys(name)
    found = "return [...document.querySelectorAll('.navigator-card-item')].some(item => item.innerText.includes(arguments[0]))"
    try:
        WebDriverWait(driver, LIMIT, poll_frequency=0.05).until(lambda _: driver.execute_script(found, name))
    except Exception:
        yield f"the filter does not find {name}"


def take_pictures(folder, paths, target):
    base = serve(folder)
    os.makedirs(target, exist_ok=True)
    for scheme in ["light", "dark"]:
        driver = browser(1400, 1500)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        for path in paths:
            open_page(driver, base, f"/{path}")
            driver.save_screenshot(f"{target}/{path.strip('/').replace('/', '_')}-{scheme}.png")
        driver.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--pictures")
    arguments = parser.parse_args()
    if arguments.pictures:
        return take_pictures(arguments.folder, arguments.pages, arguments.pictures)
    faults = check(arguments.folder)
    for fault in list(dict.fromkeys(faults))[:50]:
        print(fault, file=sys.stderr)
    if faults:
        sys.exit(f"{len(faults)} faults")


if __name__ == "__main__":
    main()
