'use client';

import { X } from 'lucide-react';
import type { FormEvent } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { TextField } from '#components/ui/field.tsx';
import { FormFailure } from '#components/ui/form-failure.tsx';
import { Link } from '#components/ui/link.tsx';
import { useCall } from '#components/use-call.ts';

/** The cases that a case is linked with, and a field to link another one. */
export function LinkedCases({
  guildId,
  caseId,
  links,
  canLink,
}: {
  guildId: string;
  caseId: string;
  links: readonly { number: number; name: string }[];
  canLink: boolean;
}) {
  const t = useTranslations('cases');
  const { call, busy, failure } = useCall();
  const send = (operation: 'cases.link' | 'cases.unlink', other_number: number) =>
    call('POST', `/api/guilds/${guildId}/actions`, { operation, input: { caseId, other_number } });
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const number = Number(String(new FormData(form).get('number')).replace('#', ''));
    if ((await send('cases.link', number)) !== null) form.reset();
  };
  if (links.length === 0 && !canLink) return null;
  return (
    <section className="border-line mt-4 grid gap-2 border-t pt-4" aria-label={t('linked')}>
      <h2 className="font-medium">{t('linked')}</h2>
      <ul className="grid gap-1">
        {links.map(({ number, name }) => (
          <li key={number} className="flex items-center justify-between gap-2">
            <Link
              href={`/guilds/${guildId}/cases/${number}`}
              className="text-accent underline decoration-accent/40 underline-offset-2"
            >
              {name} #{number}
            </Link>
            {canLink ? (
              <Button
                aria-label={t('unlink', { number: String(number) })}
                title={t('unlink', { number: String(number) })}
                disabled={busy}
                onClick={() => void send('cases.unlink', number)}
              >
                <X aria-hidden size={14} />
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {canLink ? (
        <form onSubmit={(event) => void add(event)} className="flex items-end gap-2">
          <div>
            <TextField
              label={t('linkNumber')}
              name="number"
              inputMode="numeric"
              pattern="#?[0-9]+"
              required
              autoComplete="off"
              error={failure?.issueOf('other_number') ?? failure?.message}
            />
            <FormFailure failure={failure} />
          </div>
          <Button type="submit" disabled={busy}>
            {t('link')}
          </Button>
        </form>
      ) : null}
    </section>
  );
}
