// What `use-intl/react` is in a browser (next.config.mjs): the part of it that the pages use. The server has the whole,
// and a test holds this to the same words.
import format, { type CompiledMessage, type FormatValues } from 'icu-minify/format';
import {
  cloneElement,
  createContext,
  isValidElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
} from 'react';

/** A compiled message, or a group of them. */
type Texts = CompiledMessage | { readonly [key: string]: Texts };

interface Spoken {
  readonly locale: string;
  readonly messages: Texts;
  readonly timeZone: string;
}

type Values = Readonly<Record<string, unknown>>;

const Language = createContext<Spoken>({ locale: 'en', messages: {}, timeZone: 'UTC' });

export function IntlProvider({
  locale,
  messages,
  timeZone = 'UTC',
  children,
}: Omit<Spoken, 'timeZone'> & { timeZone?: string; children: ReactNode }) {
  const spoken = useMemo(() => ({ locale, messages, timeZone }), [locale, messages, timeZone]);
  return <Language value={spoken}>{children}</Language>;
}

export function useLocale(): string {
  return useContext(Language).locale;
}

export function useTranslations(namespace?: string) {
  const spoken = useContext(Language);
  return useMemo(() => translatorOf(spoken, namespace), [spoken, namespace]);
}

/** A function that says the messages of a namespace; a message that cannot be said is its key. */
export function translatorOf({ locale, messages, timeZone }: Spoken, namespace?: string) {
  const group = namespace === undefined ? messages : textAt(messages, namespace);
  const rich = (key: string, values: Values = {}) => {
    const name = namespace === undefined ? key : `${namespace}.${key}`;
    try {
      const text = textAt(group, key);
      if (text === undefined) throw new Error(`There is no message ${name}.`);
      return format(text as CompiledMessage, locale, withKeys(values), { formatters: FORMATTERS, timeZone });
    } catch (error) {
      reportError(error);
      return name;
    }
  };
  return Object.assign((key: string, values?: Values) => rich(key, values), {
    rich,
    has: (key: string) => textAt(group, key) !== undefined,
  });
}

function textAt(texts: Texts | undefined, key: string): Texts | undefined {
  let found = texts;
  for (const part of key.split('.')) found = (found as Readonly<Record<string, Texts>> | undefined)?.[part];
  return found;
}

/** React wants keys of the elements in a list, and a text with elements is one. */
function withKeys(values: Values): FormatValues<ReactNode> {
  const keyed = Object.entries(values).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    let place = 0;
    const make = (chunks: ReactNode) => {
      const made: unknown = value(chunks);
      return isValidElement(made) ? cloneElement(made as ReactElement, { key: `${name}${place++}` }) : made;
    };
    return [name, make];
  });
  return Object.fromEntries(keyed) as FormatValues<ReactNode>;
}

/** Making a formatter takes longer than all that it formats, so each is made once. */
function kept<Formatter>(Type: new (locale: string, options?: object) => Formatter) {
  const made = new Map<string, Formatter>();
  return (locale: string, options?: object): Formatter => {
    const key = locale + JSON.stringify(options);
    const formatter = made.get(key) ?? new Type(locale, options);
    made.set(key, formatter);
    return formatter;
  };
}

const FORMATTERS = {
  getNumberFormat: kept(Intl.NumberFormat),
  getPluralRules: kept(Intl.PluralRules),
  getDateTimeFormat: kept(Intl.DateTimeFormat),
};
