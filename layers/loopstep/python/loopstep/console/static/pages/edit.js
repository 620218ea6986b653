// Writes a plan: checked as it is typed, drawn beside, published as a next version.
import { path, post, put } from '../api.js';
import { useAction, useApi, useSettled } from '../asking.js';
import { html, useEffect, useId, useMemo, useState } from '../lib.js';
import { Confirm } from '../parts/confirm.js';
import { Diff } from '../parts/diff.js';
import { Editor } from '../parts/editor.js';
import { ErrorBox } from '../parts/error.js';
import { Findings } from '../parts/findings.js';
import { Graph } from '../parts/graph.js';
import { GraphTable } from '../parts/graphtable.js';
import { Page } from '../parts/page.js';
import { Both, DataView, Definition, useDrawn } from '../parts/planviews.js';
import { Status } from '../parts/status.js';
import { Tabs } from '../parts/tabs.js';
import { go, href } from '../router.js';
import { say } from '../shell.js';
import { n, t } from '../text.js';

const STILL = 400; // milliseconds without a key before the document is checked
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const drafts = new Map(); // texts that were not published, for as long as the console is open

const FIRST = `apiVersion: loop.plan/v1
kind: PlanVersion
metadata: {name: hello, title: Says hello}
input:
  name: {type: string, required: true}
  desk: {type: scope, default: team/welcome}
graph:
  entry: {nodeId: greet, port: in, input: {scope: {ref: plan.input.desk}, name: {ref: plan.input.name}}}
  nodes:
    - id: greet
      type: send_message
      input: {scope: {type: scope, required: true}, name: {type: string, required: true}}
      sendMessage: {scope: {ref: input.scope}, text: "Hello {{ input.name }}"}
    - id: done
      type: end
      end: {outcome: succeeded}
  edges:
    - id: greeted
      source: {nodeId: greet, port: completed}
      target: {nodeId: done, port: in}
      bindings: {}
`;

export default function EditPage({ params, query }) {
  const { name } = params;
  const plan = useApi(name ? path`/plans/${name}` : null);
  const number = Number(query.version) || (plan.data && plan.data.version);
  const version = useApi(name && number ? path`/plans/${name}/versions/${number}` : null);
  const newest = useApi(name && plan.data ? path`/plans/${name}/versions/${plan.data.version}` : null);
  const title = name ? t('edit.title', { name }) : t('edit.new');
  const crumbs = [[t('plans.title'), '#/plans'], ...(name ? [[name, href('/plans/:name', { name })]] : [])];
  const error = plan.error || version.error || newest.error;
  const ready = !name || (version.data && newest.data);
  const stem = name ? `${name} ${number}` : '';
  return html`
    <${Page} title=${title} crumbs=${crumbs} wide about=${name && number && html`<span>${t('edit.from', { version: number })}</span>`}>
      ${error && html`<${ErrorBox} error=${error} retry=${() => (plan.reload(), version.reload(), newest.reload())} />`}
      ${!ready && !error && html`<p class="loading" role="status">${t('shell.loading')}</p>`}
      ${ready && html`<${Edit} key=${stem} stem=${stem} name=${name} begins=${name ? version.data.document : FIRST} stands=${name ? newest.data.document : ''} />`}
    <//>
  `;
}

function Edit({ stem, name, begins, stands }) {
  const [text, setText] = useState(drafts.get(stem) ?? begins);
  const [asking, setAsking] = useState(false);
  const [jump, setJump] = useState(null);
  const settled = useSettled(text, STILL);
  const checked = useChecked(settled);
  const id = useId();
  const changed = text !== begins;

  useEffect(() => {
    if (changed) drafts.set(stem, text);
    else drafts.delete(stem);
    const warn = (event) => event.preventDefault();
    if (changed) addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [text, changed]);

  const found = checked.data ? checked.data.diagnostics : [];
  const marks = useMemo(() => marksOf(found), [found]);
  const current = settled === text && checked.text === text && checked.data;
  return html`
    <div class="bar">
      <span id=${id} role="status"><${Verdict} data=${checked.data} current=${Boolean(current)} /></span>
      <span class="push actions">
        ${changed && html`<button type="button" onClick=${() => setText(begins)}>${t('edit.back')}</button>`}
        <button type="button" class="main" disabled=${!current || !checked.data.valid || (name && text === stands)} onClick=${() => setAsking(true)}>${t('edit.publish')}</button>
      </span>
    </div>
    ${checked.error && html`<${ErrorBox} error=${checked.error} title=${t('edit.unchecked')} retry=${checked.reload} />`}
    <div class="sides">
      <div class="stack">
        <${Editor} text=${text} onChange=${setText} marks=${marks} jump=${jump} label=${t('plan.document')} about=${id} />
        <${Findings} found=${found} omitted=${(checked.data && checked.data.omittedDiagnostics) || 0} onLine=${(line, column) => setJump({ line, column })} />
      </div>
      <${Beside} text=${settled} valid=${Boolean(checked.data && checked.data.valid)} />
    </div>
    ${asking && html`<${Publish} name=${name} text=${text} stands=${stands} stem=${stem} onNo=${() => setAsking(false)} />`}
  `;
}

/** `{data, text, error, reload}`: the last answer and the document that it is about. */
function useChecked(text) {
  const [state, setState] = useState({});
  const [count, setCount] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    post('/plans/check', { body: text, type: 'application/yaml', signal: leaving.signal })
      .then((data) => setState({ data, text }))
      .catch((error) => leaving.signal.aborted || setState((last) => ({ ...last, error })));
    return () => leaving.abort();
  }, [text, count]);
  return { ...state, reload: () => setCount(count + 1) };
}

function marksOf(found) {
  const marks = {};
  for (const each of found) if (marks[each.line] !== 'error') marks[each.line] = each.severity;
  return marks;
}

function Verdict({ data, current }) {
  if (!data) return html`<span class="soft">${t('edit.checking')}</span>`;
  const errors = data.diagnostics.filter((each) => each.severity === 'error').length;
  const warnings = data.diagnostics.length - errors;
  return html`
    <${Status} status=${data.valid ? 'valid' : 'error'} text=${data.valid ? t('status.valid') : n('edit.errors', errors)} />
    ${warnings > 0 && html` <${Status} status="warning" text=${n('edit.warnings', warnings)} />`}
    ${!current && html` <span class="soft">${t('edit.checking')}</span>`}
  `;
}

/** The graph, the data or the definition of what is typed; while it has errors, of what it was before. */
function Beside({ text, valid }) {
  const [chosen, setChosen] = useState('graph');
  const [good, setGood] = useState(null);
  useEffect(() => {
    if (valid) setGood(text);
  }, [valid, text]);
  const tabs = [
    { id: 'graph', text: t('plan.graph'), show: () => html`<${DraftGraph} text=${good} />` },
    { id: 'data', text: t('plan.data'), show: () => html`<${DataView} document=${good} />` },
    { id: 'definition', text: t('plan.definition'), show: () => html`<${DraftDefinition} text=${good} />` },
  ];
  return html`
    <div>
      ${good === null
        ? html`<p class="soft">${t('edit.nothing')}</p>`
        : html`<${Tabs} label=${t('plan.views')} tabs=${tabs} chosen=${chosen} onPick=${setChosen} />`}
    </div>
  `;
}

function DraftGraph({ text }) {
  const drawn = useDrawn(text, 'graph');
  const [picked, setPicked] = useState('');
  const shown = drawn.data && drawn.data.described;
  return html`<${Both}
    error=${drawn.error}
    retry=${drawn.reload}
    picture=${shown && html`<${Graph} svg=${drawn.data.picture} label=${t('plan.graph')} picked=${picked} onPick=${setPicked} />`}
    table=${shown && html`<${GraphTable} graph=${shown} picked=${picked} onPick=${setPicked} />`}
  />`;
}

function DraftDefinition({ text }) {
  const drawn = useDrawn(text, 'definition');
  if (drawn.error) return html`<${ErrorBox} error=${drawn.error} retry=${drawn.reload} />`;
  return drawn.data && drawn.data.described ? html`<${Definition} data=${drawn.data.described} />` : html`<p class="loading" role="status">${t('shell.loading')}</p>`;
}

function Publish({ name, text, stands, stem, onNo }) {
  const [wanted, setWanted] = useState(name || nameIn(text));
  const { busy, error, act } = useAction();
  const id = useId();
  const good = NAME.test(wanted);
  const publish = () =>
    good &&
    act(async (signal) => {
      const made = await put(path`/plans/${wanted}`, { body: text, type: 'application/yaml', signal });
      drafts.delete(stem);
      say(t('edit.published', { version: made.version }));
      go(href('/plans/:name', { name: wanted }));
    });
  return html`
    <${Confirm} title=${name ? t('edit.publish.of', { name }) : t('edit.publish.new')} yes=${t('edit.publish')} busy=${busy} error=${error} onYes=${publish} onNo=${onNo}>
      ${!name &&
      html`<div class="field gap">
        <label for=${id}>${t('plans.name')}</label>
        <input id=${id} value=${wanted} aria-invalid=${good ? null : 'true'} spellcheck=${false} autocomplete="off" onInput=${(event) => setWanted(event.target.value)} />
        ${!good && html`<p class="fault small">${t('edit.name')}</p>`}
      </div>`}
      <p>${t('edit.sure')}</p>
      ${name && html`<div class="preview"><${Diff} before=${stands} after=${text} label=${t('changes.title')} /></div>`}
    <//>
  `;
}

/** The name that a document gives itself, '' where none is seen. */
function nameIn(text) {
  const found = /^metadata:[^\n]*?\bname:\s*["']?([A-Za-z_]\w*)/m.exec(text) || /^\s+name:\s*["']?([A-Za-z_]\w*)/m.exec(text);
  return found ? found[1] : '';
}
