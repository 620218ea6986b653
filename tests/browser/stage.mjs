// A browser page on the console, and what every scenario does with one.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];
const PATIENCE = 30_000; // milliseconds, on a busy machine
const FIRST = 90_000; // until the console is there: each of its files wakes a function up on a cloud that has just begun
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export class Stage {
  /** `colour` is light or dark, `language` a code; both are what the browser says of itself. */
  static async open(given) {
    const stage = new Stage();
    Object.assign(stage, { given, base: given.console, key: given.key, heard: [] });
    stage.browser = given.server
      ? await chromium.connect(given.server)
      : await chromium.launch({ executablePath: given.chromium, headless: true, args: ARGUMENTS });
    stage.context = await stage.browser.newContext({
      colorScheme: given.colour || 'light',
      locale: given.language || 'en',
      viewport: { width: 1360, height: 860 },
      reducedMotion: 'reduce',
      bypassCSP: false,
    });
    stage.context.setDefaultTimeout(PATIENCE);
    stage.context.setDefaultNavigationTimeout(FIRST);
    stage.context.on('page', (page) => stage.#listen(page));
    stage.page = await stage.context.newPage();
    return stage;
  }

  #listen(page) {
    const own = new URL(this.base).origin;
    page.on('console', (message) => {
      // a refused request is an answer here: the browser logs each one as an error
      if (message.type() === 'error' && !/^Failed to load resource: the server responded with a status of 4/.test(message.text())) {
        this.heard.push(`console: ${message.text()}`);
      }
    });
    page.on('pageerror', (error) => this.heard.push(`error: ${error.message}`));
    page.on('request', (request) => {
      if (/^https?:/.test(request.url()) && new URL(request.url()).origin !== own) this.heard.push(`another host: ${request.url()}`);
    });
    page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI}`));
    });
  }

  /** Nothing was heard that no page may say. */
  refuse() {
    assert.deepEqual(this.heard, []);
  }

  /** Goes to a place of the console, with the key; on another page in the same session, where one is given. */
  async go(place, page = this.page) {
    if (!page.url().startsWith(this.base)) {
      await page.goto(`${this.base}#${place}`);
      await this.open(page);
    } else {
      await page.evaluate((hash) => (location.hash = hash), place);
    }
    await page.locator('h1').first().waitFor();
    await this.settled(page);
    return page;
  }

  /** Gives the key, where it is asked for. */
  async open(page = this.page) {
    const field = page.locator('input[name=loopstep-api-key]');
    await page.locator('h1').first().waitFor();
    if (await field.count()) {
      await field.fill(this.key);
      await field.press('Enter');
      await field.waitFor({ state: 'detached' });
    }
  }

  /** When nothing says any more that it is loading. */
  async settled(page = this.page) {
    await page.waitForFunction(() => !document.querySelector('.loading'));
  }

  /** A second tab, with the key. */
  async tab(place) {
    const page = await this.context.newPage();
    return this.go(place, page);
  }

  /** Fails for anything that axe finds, with where and why. */
  async accessible(page = this.page, where = page.url()) {
    // evaluated by the driver, as an extension would: no script of the page
    await page.evaluate(AXE);
    const found = await page.evaluate(() =>
      window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] }),
    );
    const told = found.violations.map((each) => `${each.id}: ${each.help}\n    ${each.nodes.slice(0, 4).map((node) => `${node.target} ${node.failureSummary.split('\n').slice(1).join(' ')}`).join('\n    ')}`);
    assert.equal(told.length, 0, `axe on ${where}\n${told.join('\n')}`);
  }

  /** Keeps a picture of what is seen as `.local/browser/pictures/NAME.png`. */
  async picture(name, page = this.page, options = {}) {
    mkdirSync(this.given.pictures, { recursive: true });
    await page.screenshot({ path: join(this.given.pictures, `${name}.png`), ...options });
  }

  async close() {
    await this.context.close();
    await this.browser.close();
  }
}

export { assert };
