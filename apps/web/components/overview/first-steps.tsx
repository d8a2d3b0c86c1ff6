'use client';

import type { Attention } from '@bailiff/engine/desk/attention';
import type { FirstStep } from '@bailiff/engine/desk/first-steps';
import { clsx } from 'clsx';
import { ChevronRight, Circle, CircleCheck } from 'lucide-react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { Link } from '#components/ui/link.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { FIRST_STEPS, isSetUp } from '#src/first-steps.ts';
import { useAttention } from './use-attention.ts';

/**
 * What the owner of a new guild does first, each step with a link to its place. Steps are marked as done by the data,
 * while the page is open too. Nothing once the owner has put it away.
 */
export function FirstSteps({ guildId, attention }: { guildId: string; attention: Attention }) {
  const t = useTranslations('overview.firstSteps');
  const { firstStepsDone: done } = useAttention(guildId, attention);
  const { call, busy, failure } = useCall();
  if (done === null) return null;
  const isComplete = isSetUp(done);
  const steps = FIRST_STEPS.filter(({ name }) => !isComplete || !done.includes(name));
  const hide = async () => {
    if ((await call('PATCH', `/api/guilds/${guildId}/settings`, { hides_first_steps: true })) === null)
      return;
    toast({ text: t('hidden') });
  };
  return (
    <section aria-labelledby="first-steps" className="mb-7">
      <div className="mb-2 flex flex-wrap items-end justify-between gap-x-3 gap-y-1">
        <div className="max-w-prose">
          <h2 id="first-steps" className="font-semibold">
            {t(isComplete ? 'complete' : 'title')}
          </h2>
          <p role="status" className="text-ink-soft">
            {t('progress', { done: done.length, all: FIRST_STEPS.length })}
          </p>
        </div>
        <Button size="small" variant="quiet" disabled={busy} onClick={() => void hide()}>
          {t('hide')}
        </Button>
      </div>
      <Failure failure={failure} />
      {steps.length === 0 ? null : (
        <ol className="border-line bg-surface divide-line divide-y rounded-lg border">
          {steps.map(({ name, href, isOptional = false }) => (
            <Step
              key={name}
              name={name}
              href={href(guildId)}
              isOptional={isOptional}
              isDone={done.includes(name)}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

function Step({
  name,
  href,
  isOptional,
  isDone,
}: {
  name: FirstStep;
  href: string;
  isOptional: boolean;
  isDone: boolean;
}) {
  const t = useTranslations('overview.firstSteps');
  const Icon = isDone ? CircleCheck : Circle;
  return (
    <li>
      <Link href={href} className="hover:bg-raised flex items-center gap-3 px-3.5 py-2.5 no-underline">
        <Icon aria-hidden size={18} className={clsx('shrink-0', isDone ? 'text-good' : 'text-line-strong')} />
        <span className="min-w-0 flex-1">
          <span className={clsx('block font-medium', isDone && 'text-ink-soft')}>
            {t(`steps.${name}.title`)}{' '}
            {isDone ? <span className="text-good ml-1 text-xs">{t('done')}</span> : null}
            {isOptional && !isDone ? (
              <span className="text-ink-soft ml-1 text-xs font-normal">{t('optional')}</span>
            ) : null}
          </span>
          {isDone ? null : <span className="text-ink-soft block">{t(`steps.${name}.what`)}</span>}
        </span>
        <ChevronRight aria-hidden size={16} className="text-ink-soft shrink-0" />
      </Link>
    </li>
  );
}
