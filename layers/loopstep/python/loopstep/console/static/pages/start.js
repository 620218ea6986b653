// Starts a run, from a form made of the plan's input contract or from JSON.
import { Problem, path, post } from '../api.js';
import { useAction, useApi } from '../asking.js';
import { draftsOf, valuesOf } from '../form.js';
import { html, useEffect, useId, useRef, useState } from '../lib.js';
import { ErrorBox } from '../parts/error.js';
import { Fields } from '../parts/fields.js';
import { Icon } from '../parts/icon.js';
import { Page } from '../parts/page.js';
import { go, href } from '../router.js';
import { say } from '../shell.js';
import { n, t } from '../text.js';

export default function StartPage({ params, query }) {
  const { name } = params;
  const wanted = query.version ? path`/plans/${name}/versions/${query.version}` : path`/plans/${name}`;
  const plan = useApi(wanted);
  const about = plan.data && html`<span>${plan.data.title}</span><span>${t('plan.version', { version: plan.data.version })}</span>`;
  return html`
    <${Page} title=${t('start.title', { name })} crumbs=${[[t('plans.title'), '#/plans'], [name, href('/plans/:name', { name })]]} about=${about}>
      ${plan.error && html`<${ErrorBox} error=${plan.error} retry=${plan.reload} />`}
      ${plan.loading && html`<p class="loading" role="status">${t('shell.loading')}</p>`}
      ${plan.data && html`<${Start} plan=${plan.data} version=${query.version ? plan.data.version : undefined} />`}
    <//>
  `;
}

function Start({ plan, version }) {
  const [drafts, setDrafts] = useState(() => draftsOf(plan.input, {}));
  const [raw, setRaw] = useState(null); // the text, while JSON is typed
  const [errors, setErrors] = useState([]);
  const { busy, error, act } = useAction();
  const form = useRef(null);
  const sent = useRef({ body: '', key: '' });
  const id = useId();

  useEffect(() => {
    if (!errors.length) return;
    const first = form.current.querySelector('[aria-invalid="true"]');
    if (first) first.focus();
    say(n('form.wrong', errors.length));
  }, [errors]);

  const toJson = () => setRaw(JSON.stringify(valuesOf(plan.input, drafts).value, null, 2));
  const toForm = () => {
    const value = parsed(raw);
    if (!value) return setErrors([{ path: '', message: 'form.json' }]);
    setErrors([]);
    setDrafts(draftsOf(plan.input, value));
    return setRaw(null);
  };
  const submit = (event) => {
    event.preventDefault();
    const made = raw === null ? valuesOf(plan.input, drafts) : { value: parsed(raw), errors: parsed(raw) ? [] : [{ path: '', message: 'form.json' }] };
    setErrors(made.errors);
    if (made.errors.length) return;
    act(async (signal) => {
      const body = { input: made.value, ...(version ? { version } : {}) };
      const text = JSON.stringify(body);
      // the same input again, after an answer that never came, starts no second run
      if (sent.current.body !== text) sent.current = { body: text, key: crypto.randomUUID() };
      try {
        const run = await post(path`/plans/${plan.name}/runs`, { body, headers: { 'Idempotency-Key': sent.current.key }, signal });
        go(href('/runs/:run', { run: run.runId }));
      } catch (fault) {
        if (!(fault instanceof Problem) || fault.code !== 'input.invalid') throw fault;
        setErrors(fault.errors);
      }
    });
  };
  const none = !Object.keys(plan.input).length;
  const unplaced = raw !== null ? errors : errors.filter((each) => !known(plan.input, each.path));
  return html`
    <form class="form" ref=${form} onSubmit=${submit} novalidate>
      ${!none &&
      html`<div class="bar" role="group" aria-label=${t('start.how')}>
        <button type="button" class="small" aria-pressed=${raw === null ? 'true' : 'false'} onClick=${() => raw !== null && toForm()}>${t('start.form')}</button>
        <button type="button" class="small" aria-pressed=${raw !== null ? 'true' : 'false'} onClick=${() => raw === null && toJson()}>JSON</button>
      </div>`}
      ${none && html`<p class="soft">${t('start.none')}</p>`}
      ${raw === null
        ? html`<${Fields} fields=${plan.input} drafts=${drafts} errors=${errors} onChange=${setDrafts} />`
        : html`<div class="field">
            <label for=${id}>${t('start.input')}</label>
            <textarea id=${id} class="mono" rows="16" spellcheck=${false} value=${raw} aria-invalid=${errors.length ? 'true' : null} onInput=${(event) => setRaw(event.target.value)}></textarea>
          </div>`}
      ${unplaced.length > 0 && html`<${Unplaced} errors=${unplaced} />`}
      ${error && html`<${ErrorBox} error=${error} />`}
      <div class="actions">
        <button type="submit" class="main" disabled=${busy}><${Icon} name="play" size=${14} />${busy ? t('start.starting') : t('start.go')}</button>
        <a class="button" href=${href('/plans/:name', { name: plan.name })}>${t('confirm.no')}</a>
      </div>
    </form>
  `;
}

function Unplaced({ errors }) {
  return html`
    <div class="notice bad" role="alert">
      <${Icon} name="warning" />
      <ul class="plain">${errors.map((each, index) => html`<li key=${index}>${each.path && html`<code>${each.path}</code> `}${each.message.startsWith('form.') ? t(each.message) : each.message}</li>`)}</ul>
    </div>
  `;
}

function known(fields, path) {
  return path.split('/')[1]?.replace(/~1/g, '/').replace(/~0/g, '~') in fields;
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return value && typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
