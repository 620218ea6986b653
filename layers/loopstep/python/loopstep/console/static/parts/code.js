// A text with line numbers, to read.
import { html, useEffect, useRef } from '../lib.js';

/** `line`: the number of one to show and to scroll to, 0 for none. */
export function Code({ text, line = 0, label }) {
  const own = useRef(null);
  useEffect(() => {
    const found = line && own.current.children[line - 1];
    if (found) own.current.scrollTop = found.offsetTop - own.current.offsetTop - own.current.clientHeight / 3;
  }, [text, line]);
  const lines = text.replace(/\n$/, '').split('\n');
  return html`
    <pre class="code" ref=${own} tabindex="0" role="region" aria-label=${label}>${lines.map(
      (each, index) => html`<span key=${index} class=${index + 1 === line ? 'there' : null}>${each}</span>`,
    )}</pre>
  `;
}
