import type { Session } from '@bailiff/engine/desk/sessions';
import { LOCALE_NAMES } from '@bailiff/messages';
import { Gavel } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { currentLocale, messagesFor } from '#src/messages.ts';
import { currentTheme, PREFERENCES } from '#src/pages.ts';
import { LanguageMenu, ThemeButton } from './preferences.tsx';
import { SignOutButton } from './sign-in.tsx';

/** The bar above every page. */
export async function TopBar({ session, children }: { session: Session | null; children?: ReactNode }) {
  const t = await messagesFor('shell');
  const theme = await currentTheme();
  return (
    <header className="border-line bg-surface border-b">
      <div className="mx-auto flex h-13 max-w-[100rem] items-center gap-1 px-3 sm:px-5">
        <Link
          href="/"
          prefetch={false}
          className="mr-1 flex items-center gap-2 rounded font-semibold no-underline"
        >
          <Gavel aria-hidden size={18} className="text-accent" />
          Bailiff
        </Link>
        <div className="min-w-0 flex-1">{children}</div>
        {session === null ? null : (
          <span className="text-ink-soft hidden max-w-40 truncate px-1 lg:block">{session.name}</span>
        )}
        <LanguageMenu
          name={PREFERENCES.locale}
          locale={await currentLocale()}
          languages={LOCALE_NAMES}
          label={t('language')}
        />
        <ThemeButton
          name={PREFERENCES.theme}
          theme={theme}
          label={theme === 'dark' ? t('toLight') : t('toDark')}
        />
        {session === null ? null : <SignOutButton label={t('signOut')} />}
      </div>
    </header>
  );
}
