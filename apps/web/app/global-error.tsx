'use client';

import {
  acceptedLocale,
  DEFAULT_LOCALE,
  type Locale,
  PAGE_FAILURE_TEXTS,
} from '@bailiff/messages/page-failure';
import { useSyncExternalStore } from 'react';
import { IntlProvider } from 'use-intl/react';
import { type ErrorPageProps, ErrorState } from '#components/ui/error-state.tsx';
import './globals.css';

/**
 * The page that people see if the frame around all pages failed, with the language and the texts it would have given.
 */
export default function EverythingFailed(props: ErrorPageProps) {
  const locale = useSyncExternalStore(neverChanges, localeOfBrowser, () => DEFAULT_LOCALE);
  const failure = PAGE_FAILURE_TEXTS[locale];
  return (
    <html lang={locale}>
      <title>{failure.title}</title>
      <body>
        <IntlProvider locale={locale} messages={{ failure }}>
          <main id="content" className="mx-auto w-full max-w-3xl px-4 py-16">
            <ErrorState {...props} />
          </main>
        </IntlProvider>
      </body>
    </html>
  );
}

const neverChanges = () => () => {};

function localeOfBrowser(): Locale {
  return acceptedLocale(navigator.languages.join(',')) ?? DEFAULT_LOCALE;
}
