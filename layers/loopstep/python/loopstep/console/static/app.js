import { html, render } from './lib.js';
import { applyLook } from './look.js';
import { Shell } from './shell.js';
import { preferred, speak } from './text.js';

applyLook();
await speak(preferred());
render(html`<${Shell} />`, document.getElementById('app'));
