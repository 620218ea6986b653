// The console's texts: t('plans.title'), t('plans.found', {count: 3}), n('plans.count', 3).
import { useEffect, useState } from './lib.js';

const LANGUAGE = 'loopstep.language';
const TEXTS = { en: () => import('./text/en.js'), zh: () => import('./text/zh.js') };

/** Languages by code, each named in itself. */
export const LANGUAGES = { en: 'English', zh: '中文' };

let language = 'en';
let texts = {};
let plural = new Intl.PluralRules('en');
let listeners = [];

/** The code of the language that is shown. */
export const lang = () => language;

/** The one that was chosen here before, else the browser's, else English. */
export function preferred() {
  const wanted = [localStorage.getItem(LANGUAGE), ...(navigator.languages || [navigator.language])];
  return wanted.map((each) => String(each || '').toLowerCase().split('-')[0]).find((each) => each in TEXTS) || 'en';
}

/** Loads a language and shows it everywhere. */
export async function speak(code, keep = false) {
  texts = (await TEXTS[code]()).default;
  language = code;
  plural = new Intl.PluralRules(code);
  document.documentElement.lang = code === 'zh' ? 'zh-Hans' : code;
  if (keep) localStorage.setItem(LANGUAGE, code);
  listeners.forEach((act) => act(code));
}

/** Draws a component anew when the language changes. */
export function useLanguage() {
  const [, set] = useState(language);
  useEffect(() => {
    listeners.push(set);
    return () => {
      listeners = listeners.filter((each) => each !== set);
    };
  }, []);
  return language;
}

/** The text of a key, with {name} replaced by what is given. An unknown key is its own text. */
export function t(name, values) {
  const text = texts[name];
  if (text === undefined) return name;
  return values ? text.replace(/\{(\w+)\}/g, (whole, each) => (each in values ? String(values[each]) : whole)) : text;
}

/** The text of `name.one` or `name.other` for a number, with {count}. */
export function n(name, count, values) {
  const form = `${name}.${plural.select(count)}`;
  return t(form in texts ? form : `${name}.other`, { count: number(count), ...values });
}

/** Whether there is such a text. */
export const has = (name) => name in texts;

export const number = (value) => new Intl.NumberFormat(language).format(value);
