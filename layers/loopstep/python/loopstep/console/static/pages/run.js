// One run: its graph as it goes on, its timeline, each activation, its state at any revision, and what it sent.
import { get } from '../api.js';
import { cx, html, useEffect, useState } from '../lib.js';
import { Activation } from '../parts/activation.js';
import { Id } from '../parts/copy.js';
import { ErrorBox } from '../parts/error.js';
import { Icon } from '../parts/icon.js';
import { Json } from '../parts/json.js';
import { OVER, useRun } from '../parts/live.js';
import { NodeActivations } from '../parts/nodeactivations.js';
import { Page } from '../parts/page.js';
import { RunActions } from '../parts/runactions.js';
import { RunGraph } from '../parts/rungraph.js';
import { Files, Messages } from '../parts/runlists.js';
import { State } from '../parts/state.js';
import { Status } from '../parts/status.js';
import { Tabs } from '../parts/tabs.js';
import { Between, Time } from '../parts/time.js';
import { Timeline } from '../parts/timeline.js';
import { href, setQuery } from '../router.js';
import { n, number, t } from '../text.js';

const KINDS = ['approvals', 'callbacks'];
const GRAPH = 'loopstep.run.graph'; // whether it is shown, kept for the next run
const crumbs = () => [[t('nav.runs'), '#/runs']];

export default function RunPage({ params, query }) {
  const { run, progress, round, error, trouble, reload } = useRun(params.run);
  const short = params.run.slice(0, 8);
  if (error) return html`<${Page} title=${t('run.title', { id: short })} crumbs=${crumbs()}><${ErrorBox} error=${error} retry=${reload} /><//>`;
  if (!run) return html`<${Page} title=${t('run.title', { id: short })} crumbs=${crumbs()}><p class="loading" role="status">${t('shell.loading')}</p><//>`;
  return html`
    <${Page}
      title=${t('run.of', { plan: run.plan })}
      crumbs=${crumbs()}
      wide
      actions=${html`<${RunActions} run=${run} onDone=${reload} />`}
      about=${html`<${About} run=${run} progress=${progress} />`}
    >
      ${trouble && html`<p class="notice wait" role="status"><${Icon} name="warning" /><span>${t('run.trouble')}</span></p>`}
      ${progress
        ? html`<${Whole} run=${run} progress=${progress} round=${round} query=${query} />`
        : html`<p class="loading" role="status">${t('run.counting')}</p>`}
    <//>
  `;
}

function About({ run, progress }) {
  return html`
    <span data-run-status=${run.status}><${Status} status=${run.status} /></span>
    <a href=${href('/plans/:name', { name: run.plan }, { version: run.version })}>${t('run.version', { plan: run.plan, version: run.version })}</a>
    <span>${t('run.started')} <${Time} at=${run.startedAt} brief /></span>
    <span>${t('run.took')} <${Between} from=${run.startedAt} to=${run.endedAt} /></span>
    ${progress && html`<span>${n('run.steps', progress.activations)}${!progress.complete && '+'}</span>`}
    ${run.epoch > 1 && html`<span>${t('run.epoch', { count: number(run.epoch - 1) })}</span>`}
    <${Id} text=${run.runId} what=${t('run.id')} />
  `;
}

function Whole({ run, progress, round, query }) {
  const pick = ({ id }) => setQuery({ at: id, node: null });
  const pickNode = (node, counts) => {
    const many = Object.values(counts || {}).reduce((sum, each) => sum + each, 0);
    if (many) setQuery({ node, at: null });
  };
  const close = () => setQuery({ at: null, node: null });
  const revision = (number) => setQuery({ tab: 'state', revision: number });
  const waits = useWaits(run, round);
  const [graph, setGraph] = useState(localStorage.getItem(GRAPH) !== 'no');
  const showGraph = (open) => {
    localStorage.setItem(GRAPH, open ? 'yes' : 'no');
    setGraph(open);
  };
  const aside = query.at
    ? html`<${Activation} key=${query.at} run=${run.runId} id=${query.at} round=${round} onPick=${pick} onClose=${close} onRevision=${revision} links=${waits} />`
    : query.node
      ? html`<${NodeActivations} key=${query.node} run=${run.runId} node=${query.node} round=${round} onPick=${pick} onClose=${close} />`
      : null;
  const tabs = [
    { id: 'timeline', text: t('run.timeline'), show: () => html`<${Timeline} run=${run} round=${round} picked=${query.at} onPick=${pick} />` },
    {
      id: 'state',
      text: t('run.state'),
      count: progress.revision || null,
      show: () => html`<${State}
        run=${run.runId}
        latest=${progress.revision}
        at=${numeral(query.revision)}
        against=${numeral(query.against)}
        onChoose=${(at, against) => setQuery({ revision: at, against })}
        onPick=${pick}
      />`,
    },
    { id: 'values', text: t('run.values'), show: () => html`<${Values} run=${run} />` },
    { id: 'messages', text: t('run.messages'), show: () => html`<${Messages} run=${run.runId} round=${round} onPick=${pick} />` },
    { id: 'files', text: t('run.files'), show: () => html`<${Files} run=${run.runId} round=${round} />` },
  ];
  return html`
    ${run.error && html`<${Failure} run=${run} />`}
    <${Waiting} waits=${waits} />
    <div class=${cx('run-body', graph && 'with-graph', aside && 'with-aside')}>
      <${RunGraph} run=${run} progress=${progress} open=${graph} onOpen=${showGraph} picked=${query.node || (query.at && query.at.split('#')[0])} onPick=${pickNode} />
      <div class="run-main"><${Tabs} label=${t('run.parts')} tabs=${tabs} chosen=${query.tab || 'timeline'} onPick=${(tab) => setQuery({ tab: tab === 'timeline' ? null : tab })} /></div>
      ${aside && html`<aside class="run-aside" aria-label=${t('run.details')}>${aside}</aside>`}
    </div>
  `;
}

function Failure({ run }) {
  const { code, message, nodeId } = run.error;
  return html`
    <div class="notice bad" data-part="failure">
      <${Icon} name="cross" />
      <div><p class="strong"><code>${code}</code>${nodeId && html` ${t('run.at', { node: nodeId })}`}</p><p>${message}</p></div>
    </div>
  `;
}

/** What somebody has to answer before the run goes on. */
function Waiting({ waits }) {
  return waits.map(
    (each) => html`
      <div class="notice wait" key=${each.id}>
        <${Icon} name="person" />
        <div><a href=${`#/${each.kind}/${encodeURIComponent(each.id)}`}>${t(`run.waits.${each.kind}`, { node: each.nodeId })}</a> <span class="soft">${t('run.to', { scope: each.scope })}</span></div>
      </div>
    `,
  );
}

/** `[{id, kind, nodeId, activationId, scope}]` of what the run waits for; kinds are approvals and callbacks. */
function useWaits(run, round) {
  const { runId, epoch } = run;
  const over = OVER.includes(run.status);
  const [found, setFound] = useState({ of: '', items: [] });
  useEffect(() => {
    if (over) return undefined;
    const leaving = new AbortController();
    const ask = (kind) => get(`/${kind}`, { query: { runId, status: 'pending', limit: 20 }, signal: leaving.signal });
    Promise.all(KINDS.map(ask)).then(
      (pages) => setFound({ of: `${runId} ${epoch}`, items: pages.flatMap((page, index) => page.items.map((each) => ({ ...each, kind: KINDS[index] }))) }),
      () => {}, // the inbox has them too, and says what is wrong
    );
    return () => leaving.abort();
  }, [runId, epoch, round, over]);
  return over || found.of !== `${runId} ${epoch}` ? [] : found.items;
}

function Values({ run }) {
  const omitted = run.omitted || {};
  return html`
    <div class="columns">
      <section class="card"><h2>${t('run.input')}</h2><${Json} value=${run.input} label=${t('run.input')} omitted=${omitted.input} /></section>
      <section class="card"><h2>${t('run.output')}</h2><${Json} value=${run.output} label=${t('run.output')} omitted=${omitted.output} /></section>
    </div>
  `;
}

const numeral = (text) => (/^\d{1,7}$/.test(text || '') ? Number(text) : null);
