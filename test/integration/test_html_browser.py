#!/usr/bin/env python3
"""The HTML report in a real browser, Chromium without a screen: light and dark, at a desk and on a phone, no network.
Usage: BUILD SOURCE."""
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROBE = """<script>
const seen = {width: innerWidth, needs: document.documentElement.scrollWidth, paper: getComputedStyle(document.body).backgroundColor,
              findings: document.querySelectorAll('.f').length, hidden: [...document.querySelectorAll('.f')].filter(f => !f.offsetHeight).length,
              wide: [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.src,.num')).length};
parent.document.documentElement.dataset.seen = Object.entries(seen).map(([k, v]) => k + ': ' + v).join('; ');
</script>"""


def look(browser, text, width, dark, folder):
    """In a frame, because a window is never narrower than 500."""
    page, home = os.path.join(folder, "page.html"), os.path.join(folder, "home")
    with open(page, "w", encoding="utf-8") as f:
        f.write(f'<meta charset="utf-8"><iframe width="{width}" height="1200" frameborder="0" srcdoc="{html.escape(text)}"></iframe>')
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1400,1300", f"--user-data-dir={home}",
               f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--dump-dom", "file://" + page]
    p = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = re.search(r'data-seen="([^"]*)"', p.stdout)
    if not found:
        raise SystemExit(f"Chromium showed nothing: exit {p.returncode}\n{p.stderr[-2000:]}")
    return dict(part.split(": ", 1) for part in found[1].split("; "))


def lightness(color):
    return sum(map(int, re.findall(r"\d+", color)[:3])) / 3


def main():
    build, source = map(os.path.abspath, sys.argv[1:3])
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        print("skipped: no Chromium here")
        return 77
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.html")
        softmax = [os.path.join("examples", "softmax", n) for n in ("broken_overflow.cu", "broken_reuse.cu", "good.cu")]
        p = subprocess.run([os.path.join(build, "tools/kcheck/kcheck"), "check", *softmax, "--op", "softmax", "--keep-going", "--format", "html", "-o", report],
                           cwd=source, capture_output=True, text=True)
        if p.returncode != 1:
            raise SystemExit(f"kcheck check: exit {p.returncode}\n{p.stderr}")
        with open(report, encoding="utf-8") as f:
            text = f.read()
        if outside := re.findall(r"""(?:src|href)=["'](?!#)[^"']*|url\([^)]*\)|@import|<script|<link""", text):
            faults.append(f"not self-contained: {outside[:5]}")
        for width in (1280, 390):
            for dark in (False, True):
                seen = look(browser, text.replace("</body>", PROBE + "</body>"), width, dark, folder)
                at = f"{width} wide, {'dark' if dark else 'light'}"
                if int(seen["width"]) != width:
                    faults.append(f"{at}: the window is {seen['width']} wide")
                if int(seen["needs"]) > width or int(seen["wide"]):
                    faults.append(f"{at}: {seen['wide']} parts stand out, {seen['needs']} are needed")
                if (lightness(seen["paper"]) < 128) != dark:
                    faults.append(f"{at}: the paper is {seen['paper']}")
                if int(seen["findings"]) < 3 or int(seen["hidden"]) > 2:  # those of a file that passes are folded
                    faults.append(f"{at}: {seen['findings']} findings, {seen['hidden']} hidden")
    print("\n".join(faults) or "four views, nothing stands out")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
