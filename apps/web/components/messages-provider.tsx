'use client';

import type { Locale } from '@bailiff/messages';
import type { ReactNode } from 'react';
import { IntlProvider } from 'use-intl/react';

interface Props {
  locale: Locale;
  messages: object;
  children: ReactNode;
}

/**
 * Provides the messages and the language of the page to `useTranslations`. Times are shown in UTC (see RelativeTime).
 */
export function MessagesProvider({ locale, messages, children }: Props) {
  return (
    <IntlProvider locale={locale} messages={messages} timeZone="UTC">
      {children}
    </IntlProvider>
  );
}
