// What was sent where: the messages of a scope or of a run.
import { usePages } from '../asking.js';
import { html, useId, useState } from '../lib.js';
import { Empty, Page } from '../parts/page.js';
import { PagedTable } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { href, setQuery } from '../router.js';
import { n, t } from '../text.js';

export default function Messages({ query }) {
  const [scope, setScope] = useState(query.scope || '');
  const [run, setRun] = useState(query.run || '');
  const pages = usePages(query.scope || query.run ? '/messages' : null, { scope: query.scope, runId: query.run });
  const [first, second] = [useId(), useId()];
  const search = (event) => {
    event.preventDefault();
    setQuery({ scope: scope.trim(), run: run.trim() });
  };
  const clear = () => {
    setScope('');
    setRun('');
    setQuery({ scope: null, run: null });
  };
  const filtered = query.scope || query.run;
  return html`
    <${Page} title=${t('nav.messages')}>
      <form class="bar" role="search" aria-label=${t('messages.search')} onSubmit=${search}>
        <div class="field"><label for=${first}>${t('messages.scope')}</label><input id=${first} size="28" placeholder="team/support" value=${scope} onInput=${(event) => setScope(event.target.value)} /></div>
        <div class="field"><label for=${second}>${t('messages.run')}</label><input id=${second} size="34" spellcheck=${false} value=${run} onInput=${(event) => setRun(event.target.value)} /></div>
        <div class="actions low">
          <button type="submit">${t('messages.find')}</button>
          ${filtered && html`<button type="button" class="quiet" onClick=${clear}>${t('messages.clear')}</button>`}
        </div>
      </form>
      ${!filtered && html`<${Empty} title=${t('messages.say')} />`}
      ${filtered &&
      html`<${PagedTable}
        label=${t('nav.messages')}
        pages=${pages}
        rowKey=${(each) => each.id}
        empty=${html`<${Empty} title=${t('messages.none')} />`}
        columns=${[
          { id: 'at', head: t('messages.at'), cell: (each) => html`<span class="nowrap"><${Time} at=${each.sentAt} /></span>` },
          { id: 'scope', head: t('messages.scope'), cell: (each) => html`<a href=${href('/messages', {}, { scope: each.scope })} onClick=${() => setScope(each.scope)}>${each.scope}</a>` },
          { id: 'text', head: t('messages.text'), wide: true, cell: (each) => html`<${Text} message=${each} />` },
          { id: 'run', head: t('messages.run'), cell: (each) => html`<a href=${href('/runs/:run', { run: each.runId })}><code>${each.runId.slice(0, 8)}</code></a><span class="sub">${each.nodeId}</span>` },
        ]}
      />`}
    <//>
  `;
}

const LONG = 400;

function Text({ message }) {
  const [all, setAll] = useState(false);
  if (message.text === null) {
    const { bytes, url } = message.omitted.text;
    return html`<span class="soft">${t('json.omitted', { bytes: n('json.bytes', bytes) })}</span> ${url && html`<a href=${url} target="_blank" rel="noopener noreferrer">${t('json.open')}</a>`}`;
  }
  const cut = message.text.length > LONG && !all;
  return html`
    <span class="message">${cut ? `${message.text.slice(0, LONG)}…` : message.text}</span>
    ${message.text.length > LONG && html` <button type="button" class="link" onClick=${() => setAll(!all)}>${all ? t('json.less') : n('json.whole', message.text.length)}</button>`}
  `;
}
