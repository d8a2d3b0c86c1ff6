import type { Locale, Messages } from '@bailiff/messages';

// The compiler checks the keys and arguments of messages in every component.
declare module 'use-intl' {
  interface AppConfig {
    Locale: Locale;
    Messages: Messages;
  }
}
