import type { Session } from '@bailiff/engine/desk/sessions';
import { LOCALE_NAMES } from '@bailiff/messages';
import { clsx } from 'clsx';
import { BookOpen, CircleUserRound, Gavel, Languages, SunMoon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from '#components/ui/link.tsx';
import { currentLocale, messagesFor } from '#src/messages.ts';
import { currentTheme, PREFERENCES, THEMES } from '#src/pages.ts';
import { OpenWindows } from './approvals/open-windows.tsx';
import { PreferenceMenu } from './preferences.tsx';
import { SignOutButton } from './sign-in.tsx';
import { buttonClass } from './ui/button.tsx';

/** The bar above every page, and under it the viewer's open windows. */
export async function TopBar({
  session,
  withWindows = true,
  children,
}: {
  session: Session | null;
  withWindows?: boolean;
  children?: ReactNode;
}) {
  const [t, own, docs] = await Promise.all([
    messagesFor('shell'),
    messagesFor('session'),
    messagesFor('docs'),
  ]);
  return (
    <header>
      <div className="border-line bg-surface border-b">
        <div className="mx-auto flex h-13 max-w-[100rem] items-center gap-1 px-3 sm:px-5">
          <Link href="/" className="mr-1 flex items-center gap-2 rounded font-semibold no-underline">
            <Gavel aria-hidden size={18} className="text-accent" />
            {/* On a phone the name of the guild needs the room. */}
            <span className={clsx(children !== undefined && 'max-sm:sr-only')}>Bailiff</span>
          </Link>
          <div className="min-w-0 flex-1">{children}</div>
          <Link
            href="/docs"
            title={docs('title')}
            aria-label={docs('title')}
            className={clsx(buttonClass('quiet'), session !== null && 'max-sm:hidden')}
          >
            <BookOpen aria-hidden size={16} />
          </Link>
          {session === null ? null : (
            <Link
              href="/sessions"
              title={own('own.title')}
              aria-label={`${session.name}: ${own('own.title')}`}
              className={buttonClass('quiet')}
            >
              <CircleUserRound aria-hidden size={16} />
              <span className="hidden max-w-40 truncate lg:block">{session.name}</span>
            </Link>
          )}
          <PreferenceMenu
            name={PREFERENCES.locale}
            value={await currentLocale()}
            options={Object.entries(LOCALE_NAMES).map(([lang, name]) => ({ value: lang, label: name, lang }))}
            label={t('language')}
            icon={<Languages size={16} />}
            withText
          />
          <PreferenceMenu
            name={PREFERENCES.theme}
            value={(await currentTheme()) ?? 'system'}
            options={['system' as const, ...THEMES].map((value) => ({ value, label: t(`themes.${value}`) }))}
            label={t('theme')}
            icon={<SunMoon size={16} />}
          />
          {session === null ? null : <SignOutButton label={t('signOut')} />}
        </div>
      </div>
      {session !== null && withWindows ? <OpenWindows userId={session.userId} /> : null}
    </header>
  );
}
