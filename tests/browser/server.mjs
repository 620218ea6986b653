// A browser for the scenarios of one process of pytest: prints the address under which it is reached, and ends with
// its standard input.
import { chromium } from 'playwright-core';
import { ARGUMENTS } from './stage.mjs';

const server = await chromium.launchServer({
  executablePath: process.argv[2],
  headless: true,
  host: '127.0.0.1',
  args: ARGUMENTS,
});
process.stdout.write(`${server.wsEndpoint()}\n`);
process.stdin.resume();
process.stdin.on('end', async () => {
  await server.close();
  process.exit(0);
});
