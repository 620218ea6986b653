// A run as it goes on: asked again while it runs and the page is seen, less often while nothing happens.
import { get, path, sleep, watch } from '../api.js';
import { useCallback, useEffect, useRef, useState } from '../lib.js';
import { say } from '../shell.js';
import { t } from '../text.js';

export const OVER = ['succeeded', 'failed', 'cancelled', 'timed_out'];
const SOONEST = 700; // milliseconds between two questions while something happens
const LATEST = 5000; // while nothing does

/**
 * `{run, progress, round, error, trouble, reload}`. `round` counts the changes: what shows a part of the run asks again
 * when it moves. `trouble` is why the last question failed, while it is asked on.
 */
export function useRun(id) {
  const [state, setState] = useState({ run: null, progress: null, round: 0, error: null, trouble: null });
  const [again, setAgain] = useState(0);
  const known = useRef({ text: '', status: '' });
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let pause = 0;
    const ask = async () => {
      if (pause) await sleep(pause, signal);
      const begun = performance.now();
      const reading = get(path`/runs/${id}`, { signal });
      const counting = get(path`/runs/${id}/progress`, { signal }); // of a wide run it takes seconds
      counting.catch(() => {});
      const run = await reading;
      setState((last) => (last.run ? last : { ...last, run }));
      const progress = await counting;
      const text = JSON.stringify([run.status, run.epoch, progress]);
      const moved = text !== known.current.text;
      pause = moved ? SOONEST : Math.min(Math.max(pause, SOONEST) * 1.5, LATEST);
      pause = Math.max(pause, 2 * (performance.now() - begun)); // a run that takes long to read is read less often
      return { run, progress, text, moved };
    };
    const tell = ({ run, progress, text, moved }) => {
      const before = known.current;
      if (before.status && before.status !== run.status) say(t('run.now', { status: t(`status.${run.status}`) }));
      known.current = { text, status: run.status };
      if (moved) setState((last) => ({ ...last, run, progress, round: last.round + 1, error: null }));
    };
    watch(ask, {
      signal,
      tell,
      over: ({ run, progress }) => OVER.includes(run.status) && run.status === progress.status,
      trouble: (trouble) => setState((last) => ({ ...last, trouble })),
    }).catch((error) => setState((last) => ({ ...last, error })));
    return () => leaving.abort();
  }, [id, again]);
  return { ...state, reload: useCallback(() => setAgain((count) => count + 1), []) };
}
