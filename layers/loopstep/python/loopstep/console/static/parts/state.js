// A run's state at any revision, and what changed from another one.
import { path } from '../api.js';
import { useApi, useSettled } from '../asking.js';
import { html, useId, useRef } from '../lib.js';
import { number, t } from '../text.js';
import { named } from './activation.js';
import { Differences } from './differences.js';
import { ErrorBox } from './error.js';
import { Json } from './json.js';
import { Time } from './time.js';

/** `at` is the chosen revision, null for the newest; `against` the one it is compared with, null for the one before. */
export function State({ run, latest, at, against, onChoose, onPick }) {
  const wanted = at === null ? latest : Math.min(at, latest);
  const other = against === null ? Math.max(0, wanted - 1) : Math.min(against, latest);
  const [settled, compared] = useSettled(`${wanted} ${other}`, 150).split(' ').map(Number);
  const now = useApi(path`/runs/${run}/state`, { revision: settled });
  const before = useApi(path`/runs/${run}/state`, { revision: compared });
  const pair = usePair(now.data, before.data);
  const id = useId();
  const fault = now.error ? now : before.error ? before : null;
  if (fault) return html`<${ErrorBox} error=${fault.error} retry=${fault.reload} />`;
  return html`
    <div class="stack">
      <div class="card state-bar">
        <label for=${`${id}-at`}>${t('state.revision')}</label>
        <button type="button" class="icon-button" disabled=${wanted === 0} onClick=${() => onChoose(wanted - 1, against)} aria-label=${t('state.earlier')}>‹</button>
        <input
          id=${`${id}-at`}
          type="range"
          min="0"
          max=${latest}
          value=${wanted}
          disabled=${latest === 0}
          aria-valuetext=${t('state.of', { number: number(wanted), latest: number(latest) })}
          onInput=${(event) => onChoose(Number(event.target.value), against)}
        />
        <button type="button" class="icon-button" disabled=${wanted === latest} onClick=${() => onChoose(wanted + 1, against)} aria-label=${t('state.later')}>›</button>
        <output for=${`${id}-at`} class="nums">${t('state.of', { number: number(wanted), latest: number(latest) })}</output>
        <span class="push field-line">
          <label for=${`${id}-against`}>${t('state.against')}</label>
          <select id=${`${id}-against`} value=${against === null ? 'before' : String(against)} onChange=${(event) => onChoose(wanted, event.target.value === 'before' ? null : Number(event.target.value))}>
            <option value="before">${t('state.before')}</option>
            ${choices(latest, against).map((each) => html`<option key=${each} value=${String(each)} selected=${against === each}>${each === 0 ? t('state.first') : t('state.number', { number: number(each) })}</option>`)}
          </select>
        </span>
      </div>
      ${pair && html`<${Shown} now=${pair[0]} before=${pair[1]} onPick=${onPick} />`}
    </div>
  `;
}

function Shown({ now, before, onPick }) {
  const { change, revision } = now;
  return html`
    <p class="soft">
      ${change
        ? html`${t('state.by')} <button type="button" class="link" onClick=${() => onPick({ id: change.activationId })}>${named(change.activationId)}</button>, <${Time} at=${change.at} />:
            <code> ${change.fields.join(', ')}</code>`
        : t(revision === 0 ? 'state.defaults' : 'state.redriven')}
    </p>
    <div class="columns">
      <section class="card">
        <h2>${t('state.now', { number: number(revision) })}</h2>
        <${Json} value=${now.state} label=${t('run.state')} />
        ${Object.entries(now.omitted || {}).map(([name, each]) => html`<p key=${name}><code>${name}</code> <${Json} omitted=${each} /></p>`)}
      </section>
      <section class="card">
        <h2>${t('state.changed', { number: number(before.revision) })}</h2>
        <${Differences} before=${before.state} after=${now.state} />
      </section>
    </div>
  `;
}

/** The last two that belong together: they stay while the next are asked for, so that a slider does not make the page jump. */
function usePair(now, before) {
  const last = useRef(null);
  if (now && before) last.current = [now, before];
  return last.current;
}

/** The revisions that one can choose from: all of a few, else some spread over them. */
function choices(latest, chosen) {
  const step = Math.max(1, Math.ceil(latest / 50));
  const found = new Set(chosen === null ? [] : [chosen]);
  for (let each = 0; each <= latest; each += step) found.add(each);
  return [...found].sort((one, other) => one - other);
}
