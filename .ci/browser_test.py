#!/usr/bin/env python3
"""Tests the pages written by `aspirant tree --html` and `aspirant compare --html` in a headless browser.

Usage: .ci/browser_test.py [PATH-TO-ASPIRANT]   (default: target/release/aspirant, then target/debug/aspirant)

Needs Chromium and its driver (Debian: chromium, chromium-driver; installed if missing and run as root). Selenium is
taken from the running Python or installed into a temporary virtual environment. Exit status 0: all checks passed.
"""

import base64
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "A(B(C(D=2 E=1) F(G=6 H=9)) I(J(K=8 L=3) M(N=5 O=4)) P(Q(R=4 S=3) T(U=7 V=1)))"


def need_selenium():
    """Restarts this script in a virtual environment with selenium if the running Python lacks it."""
    try:
        import selenium  # noqa: F401
        return
    except ImportError:
        if os.environ.get("BROWSER_TEST_VENV"):
            sys.exit("browser test: selenium cannot be imported after its installation")
    with tempfile.TemporaryDirectory(prefix="browser-test-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = str(Path(folder) / "bin" / "python")
        subprocess.run([python, "-m", "pip", "-q", "--disable-pip-version-check", "install", "selenium==4.51.0"], check=True)
        environment = dict(os.environ, BROWSER_TEST_VENV="1")
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]], env=environment).returncode)


def find_program(*names):
    return next((path for path in map(shutil.which, names) if path), None)


def need_chromium():
    names = ("chromium", "chromium-browser", "google-chrome")
    missing = not find_program(*names) or not find_program("chromedriver")
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        for command in (["update", "-qq"], ["install", "-y", "-qq", "chromium", "chromium-driver"]):
            subprocess.run(["apt-get", *command], stdout=subprocess.DEVNULL)
    return find_program(*names) or sys.exit("browser test: Chromium not found; on Debian: apt-get install chromium chromium-driver")


def need_aspirant():
    if len(sys.argv) > 1:
        return str(Path(sys.argv[1]).resolve())
    for folder in ("release", "debug"):
        path = ROOT / "target" / folder / "aspirant"
        if path.is_file():
            return str(path)
    sys.exit("browser test: no aspirant in target/release or target/debug; build it or pass its path")


need_selenium()

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

CHECKS = 0


def check(actual, expected, what):
    global CHECKS
    CHECKS += 1
    if actual != expected:
        raise AssertionError(f"{what}: got {actual!r}, expected {expected!r}")


class Page:
    """A page of `aspirant tree --html`."""

    def __init__(self, driver, path):
        self.driver = driver
        driver.get(path.as_uri())

    def find(self, element):
        return self.driver.find_element(By.CSS_SELECTOR, f'[data-v="{element}"]')

    def key(self, key, times=1):
        for _ in range(times):
            self.driver.find_element(By.TAG_NAME, "body").send_keys(key)

    def sentence(self):
        return self.find("sentence").text

    def step(self):
        done, all_steps = self.find("step").text.split(" / ")
        return int(done), int(all_steps)

    def node(self, name):
        return self.driver.find_element(By.CSS_SELECTOR, f'g.node[data-name="{name}"]')

    def read(self, name):
        node = self.node(name)
        return node.get_attribute("data-state"), node.get_attribute("data-value")

    def texts(self, name):
        return [text.text for text in self.node(name).find_elements(By.TAG_NAME, "text")]

    def check_no_requests_or_errors(self):
        """Checks that the page loaded no resources and logged no errors."""
        fetched = self.driver.execute_script("return performance.getEntriesByType('resource').length")
        check(fetched, 0, "resources fetched by the page")
        errors = [entry["message"] for entry in self.driver.get_log("browser") if "favicon" not in entry["message"]]
        check(errors, [], "browser messages")


def example_is_stepped_through(driver, make):
    page = Page(driver, make("tree", "--tree", EXAMPLE, "--algorithm", "alpha-beta fail-soft"))
    check(page.step()[0], page.step()[1], "the page opens at the final tree")
    check(page.read("A"), ("final", "5"), "A when the page opens")
    page.key(Keys.HOME)
    check(page.step()[0], 0, "first step")
    check(page.read("A"), ("unseen", ""), "A before the search")
    leaves, seen = [], {}
    for _ in range(page.step()[1]):
        page.key(Keys.ARROW_RIGHT)
        sentence = page.sentence()
        if sentence.startswith("Leaf "):
            leaves.append(sentence.split()[1])
        if sentence.startswith("The tentative value of F"):
            seen["F tentative"] = page.read("F")
        if sentence.startswith("Cutoff at F"):
            seen["F cut"] = sentence
            seen["H"] = page.read("H")
        if sentence.startswith("The tentative value of M is now 5"):
            seen["M"] = page.read("M")
    check(leaves, list("DEGKLNORS"), "leaves in visiting order")
    check(seen["F tentative"], ("open", "6?"), "F before it is final")
    check(seen["F cut"], "Cutoff at F: its value is ≥ 2, the tentative value of B. Not visited: H.", "the cutoff at F")
    check(seen["H"], ("pruned", ""), "H")
    check(seen["M"], ("open", "5?"), "M before O is searched")
    done, all_steps = page.step()
    check(done, all_steps, "last step")
    check("value 5, principal variation I M N" in page.sentence(), True, "the last sentence")
    for name, state in {"A": ("final", "5"), "B": ("final", "2"), "F": ("cut", "≥6"), "P": ("cut", "≤4"), "T": ("pruned", "")}.items():
        check(page.read(name), state, name)
    check("✂ 4 ≤ 5 of A" in page.texts("P"), True, f"the cutoff mark of P: {page.texts('P')}")
    check("(5, +∞)" in page.texts("P"), True, "the window of P")
    check("pv" in page.node("M").get_attribute("class").split(), True, "M on the principal variation")
    check("pv" in page.node("J").get_attribute("class").split(), False, "J not on the principal variation")

    # Stepping backward by keys and buttons restores the same states.
    page.key(Keys.ARROW_LEFT)
    check(page.step()[0], all_steps - 1, "one step back")
    check(page.read("A"), ("open", "5?"), "A one step before the end")
    page.key(Keys.HOME)
    check(page.read("A"), ("unseen", ""), "A at the start again")
    page.find("next").click()
    page.find("next").click()
    check(page.step()[0], 2, "two steps by button")
    check(page.sentence(), "Visit A (MAX) with the window (-∞, +∞).", "the second step")
    page.find("back").click()
    check(page.step()[0], 1, "one back by button")
    page.find("last").click()
    check(page.step()[0], all_steps, "to the end by button")
    page.key(Keys.PAGE_UP)
    check(page.step()[0], all_steps - 10, "ten back")
    page.node("C").click()
    check(page.find("name").text, "C — MAX", "the node clicked on")
    page.check_no_requests_or_errors()


def every_algorithm_ends_with_the_value(driver, make):
    for algorithm in ("minimax", "and/or deep", "negascout", "mtd(f)", "sss*", "dual*", "mtd(+inf)"):
        page = Page(driver, make("tree", "--tree", EXAMPLE, "--algorithm", algorithm))
        page.key(Keys.END)
        check(page.read("A")[1], "5", f"{algorithm}: the root")
        # NegaScout confirms a value without a variation below the reply.
        variation = "variation I M" if algorithm == "negascout" else "variation I M N"
        check(variation in page.sentence(), True, f"{algorithm}: {page.sentence()}")
        page.check_no_requests_or_errors()
    page = Page(driver, make("tree", "--tree", EXAMPLE, "--algorithm", "and/or deep"))
    ranks = [element.text for element in driver.find_elements(By.CSS_SELECTOR, "text.rank")]
    check(ranks[:2], ["OR", "AND"], "names of the node kinds")


def chess_positions_show_a_board(driver, make):
    fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
    page = Page(driver, make("tree", "--fen", fen, "--depth", "2", "--ordering", "captures"))
    page.key(Keys.END)
    check(page.read("root"), ("final", "#1"), "mate in one")
    pieces = driver.find_elements(By.CSS_SELECTOR, "[data-v=board] [data-piece]")
    check(len(pieces), 32, "pieces on the board")
    page.node("Qxf7#").click()
    pieces = driver.find_elements(By.CSS_SELECTOR, "[data-v=board] [data-piece]")
    check(len(pieces), 31, "pieces after Qxf7#")
    fill = "return getComputedStyle(document.querySelector(arguments[0])).fill"
    check(driver.execute_script(fill, "[data-v=board] [data-piece=K] .outline"), "rgb(255, 255, 255)", "color of a white piece")
    check(driver.execute_script(fill, "[data-v=board] [data-piece=k] .outline"), "rgb(43, 43, 43)", "color of a black piece")
    check(len(driver.find_elements(By.CSS_SELECTOR, "[data-v=board] .moved")), 2, "squares of the last move")
    coordinates = [text.text for text in driver.find_elements(By.CSS_SELECTOR, "[data-v=board] .coordinate")]
    check(sorted(coordinates), sorted("12345678abcdefgh"), "coordinates")
    shown = len(driver.find_elements(By.CSS_SELECTOR, "g.node"))
    driver.find_element(By.CSS_SELECTOR, 'text.stub[data-stub="0"]').click()
    check(len(driver.find_elements(By.CSS_SELECTOR, "g.node")) > shown, True, "unfolding shows more nodes")
    page.check_no_requests_or_errors()


def wide_trees_are_folded(driver, make):
    wide = "(" + "(1 2 3 4 5 6 7 8 9)" * 218 + ")"
    page = Page(driver, make("tree", "--tree", wide, "--algorithm", "minimax"))
    for key, times in ((Keys.PAGE_DOWN, 3), (Keys.END, 1)):
        page.key(key, times)
        check(len(driver.find_elements(By.CSS_SELECTOR, "g.node")) < 60, True, "a wide tree is folded")
    page.check_no_requests_or_errors()


def odd_names_are_escaped(driver, make):
    page = Page(driver, make("tree", "--tree", "x(x'x=1 _.-b=2)"))
    page.key(Keys.END)
    check(page.read("x"), ("final", "2"), "odd names")
    page.check_no_requests_or_errors()


def comparison_has_table_and_chart(driver, make):
    page = Page(driver, make("compare", "--tree", EXAMPLE))
    rows = driver.find_elements(By.CSS_SELECTOR, "tbody tr")
    table = {row.find_element(By.TAG_NAME, "th").text: row.find_elements(By.TAG_NAME, "td")[0].text for row in rows}
    check((table["minimax"], table["alpha-beta fail-hard"]), ("12", "9"), "leaves in the table")
    check(len(driver.find_elements(By.CSS_SELECTOR, "svg.wide rect.done")), len(rows), "bars in the chart")
    check("Logarithmic scale" in driver.find_element(By.CSS_SELECTOR, "svg.wide").text, True, "the label of the scale")
    page.check_no_requests_or_errors()


def walk_is_one_tap_away(driver, make):
    page = Page(driver, make("tree", "--tree", EXAMPLE))
    page.find("walk").click()
    check(page.step()[0] < page.step()[1], True, "the walk starts at the beginning")
    check(page.find("play").get_attribute("aria-label"), "Pause", "the walk plays")
    page.find("play").click()


def two_walks_are_shown_in_step(driver, make):
    page = Page(driver, make("tree", "--tree", EXAMPLE, "--algorithm", "alpha-beta fail-soft", "--against", "sss*"))
    titles = [title.text.split(",")[0] for title in driver.find_elements(By.CSS_SELECTOR, "[data-v=title]")]
    check(titles, ["alpha-beta fail-soft", "sss*"], "titles")
    page.key(Keys.HOME)
    driver.find_element(By.CSS_SELECTOR, "[data-v=unit] option[value=leaf]").click()
    panels = driver.find_elements(By.CSS_SELECTOR, ".v-panel")
    leaves = [[], []]
    for _ in range(12):
        page.key(Keys.ARROW_RIGHT)
        for panel, list_of_leaves in zip(panels, leaves):
            sentence = panel.find_element(By.CSS_SELECTOR, "[data-v=sentence]").text
            if sentence.startswith("Leaf "):
                list_of_leaves.append(sentence.split()[1])
    check(leaves, [list("DEGKLNORS"), list("DEKLRSNO")], "leaves of both walks")
    check(page.find("position").text, "10 / 10", "position")
    page.check_no_requests_or_errors()


def nodes_are_selected_by_keys(driver, make):
    page = Page(driver, make("tree", "--tree", EXAMPLE))
    page.key(Keys.HOME)
    for key, name in ((Keys.ARROW_DOWN, "B — MIN"), (Keys.ARROW_RIGHT, "I — MIN"), (Keys.ARROW_DOWN, "J — MAX"), (Keys.ARROW_UP, "I — MIN")):
        page.key(Keys.SHIFT + key + Keys.NULL)
        check(page.find("name").text, name, "the selected node")
    check(page.step()[0], 0, "selecting a node does not step")
    page.check_no_requests_or_errors()


def pages_fit_screens(driver, make):
    """Checks both pages at 1300 and 390 px, light and dark; writes screenshots to $BROWSER_TEST_SHOTS."""
    fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
    pages = {"tree": make("tree", "--tree", EXAMPLE), "compare": make("compare", "--tree", EXAMPLE),
             "board": make("tree", "--fen", fen, "--depth", "2", "--ordering", "captures"),
             "two": make("tree", "--tree", EXAMPLE, "--against", "mtd(f)")}
    shots = os.environ.get("BROWSER_TEST_SHOTS")
    for name, path in pages.items():
        for width, height in ((1300, 850), (390, 844)):
            touch = width < 500
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                   {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch})
            driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": touch, "maxTouchPoints": 1})
            backgrounds = []
            for scheme in ("light", "dark"):
                media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
                driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
                page = Page(driver, path)
                if name == "board":
                    driver.execute_script("document.querySelector('g.node[data-name=\"Qxf7#\"]').dispatchEvent(new Event('click'))")
                what = f"{name}, {width} px, {scheme}"
                content = driver.execute_script("return document.documentElement.scrollWidth")
                check(content <= width, True, f"{what}: the page is {content} px wide")
                backgrounds.append(driver.execute_script("return getComputedStyle(document.body).backgroundColor"))
                if name != "compare":
                    shown = driver.find_element(By.CLASS_NAME, "v-touch" if touch else "v-keys")
                    check(shown.is_displayed(), True, f"{what}: wording for the device")
                if shots:
                    data = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": {
                        "x": 0, "y": 0, "width": width, "scale": 1,
                        "height": driver.execute_script("return document.documentElement.scrollHeight")}})["data"]
                    Path(shots, f"{name}-{width}-{scheme}.png").write_bytes(base64.b64decode(data))
                page.check_no_requests_or_errors()
            check(backgrounds, ["rgb(255, 255, 255)", "rgb(20, 24, 31)"], f"{name}, {width} px: backgrounds")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def main():
    chromium, aspirant = need_chromium(), need_aspirant()
    with tempfile.TemporaryDirectory(prefix="browser-test-") as folder:
        folder = Path(folder)
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync",
                     "--window-size=1400,900", f"--user-data-dir={folder / 'profile'}"):
            options.add_argument(flag)
        driver_path = shutil.which("chromedriver")
        driver = webdriver.Chrome(options=options, service=Service(driver_path) if driver_path else Service())

        def make(*arguments):
            path = folder / f"{len(list(folder.glob('*.html')))}.html"
            done = subprocess.run([aspirant, *arguments, "--html", str(path)], capture_output=True, text=True)
            check(done.returncode, 0, f"aspirant {' '.join(arguments)}: {done.stderr}")
            return path

        try:
            for test in (example_is_stepped_through, every_algorithm_ends_with_the_value, chess_positions_show_a_board,
                         wide_trees_are_folded, odd_names_are_escaped, comparison_has_table_and_chart,
                         walk_is_one_tap_away, two_walks_are_shown_in_step, nodes_are_selected_by_keys, pages_fit_screens):
                test(driver, make)
                print(f"browser test: {test.__name__} ok")
        except AssertionError as failure:
            sys.exit(f"browser test FAILED: {failure}")
        finally:
            driver.quit()
    print(f"browser test: {CHECKS} checks passed")


if __name__ == "__main__":
    main()
