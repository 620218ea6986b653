// Why an activation left through its edge: the conditions in the order in which they were tried, and what they read.
import { html } from '../lib.js';
import { t } from '../text.js';
import { Icon } from './icon.js';

const MARKS = { taken: 'check', no: 'cross', unasked: 'minus', yes: 'check' };

/** The whole: one line an edge, then the operands. */
export function Why({ choice, edge }) {
  if (!choice) return html`<p class="soft">${t('why.none')}</p>`;
  const asked = new Set(choice.edges.map((each) => bare(each.when || '')));
  const operands = choice.operands.filter((each) => !asked.has(bare(each.text)));
  return html`
    <div class="why">
      <ol class="why-edges">
        ${choice.while &&
        html`<li class=${choice.while.holds ? 'yes' : 'no'}>
          <${Mark} state=${choice.while.holds ? 'yes' : 'no'} text=${t(choice.while.holds ? 'why.holds' : 'why.not')} />
          <span class="why-edge">${t('why.while')}</span> <code>${choice.while.text}</code>
        </li>`}
        ${choice.edges.map((each) => html`<${Tried} key=${each.edge} tried=${each} taken=${each.edge === edge} />`)}
      </ol>
      ${operands.length > 0 &&
      html`
        <table class="why-operands">
          <caption>${t('why.read')}</caption>
          <tbody>
            ${operands.map(
              (each) => html`<tr key=${each.text}><th scope="row"><code>${each.text}</code></th><td><code>${shown(each.value)}</code></td></tr>`,
            )}
          </tbody>
        </table>
      `}
    </div>
  `;
}

function Tried({ tried, taken }) {
  const state = taken ? 'taken' : tried.holds === false ? 'no' : tried.holds ? 'yes' : 'unasked';
  const words = { taken: 'why.taken', no: 'why.not', yes: 'why.holds', unasked: 'why.unasked' }[state];
  return html`
    <li class=${state}>
      <${Mark} state=${state} text=${t(words)} />
      <span class="why-edge">${tried.edge}</span>
      ${tried.when === null ? html`<span class="soft">${t('why.otherwise')}</span>` : html`<code>${tried.when}</code>`}
    </li>
  `;
}

function Mark({ state, text }) {
  return html`<span class="why-mark"><${Icon} name=${MARKS[state]} size=${13} />${text}</span>`;
}

/** The same in one line: the condition of the edge that was taken. */
export function because(choice, edge) {
  if (!choice) return '';
  const taken = choice.edges.find((each) => each.edge === edge);
  if (!taken) return choice.while ? `while ${choice.while.text}` : '';
  return taken.when === null ? t('why.otherwise') : taken.when;
}

/** A value in one line. */
export function shown(value) {
  const text = JSON.stringify(value);
  if (text === undefined) return '–';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

// An expression whatever its spelling: an operand that is a whole condition has its answer before it already.
const bare = (text) => text.replace(/[\s()]/g, '').replace(/"/g, "'");
