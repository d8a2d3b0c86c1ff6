'use client';

import { clsx } from 'clsx';
import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl/react';
import { Badge } from '#components/ui/badge.tsx';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { Panel } from '#components/ui/panel.tsx';
import type { CheckWire } from '#src/dashboard-api/guard.ts';

const RESULTS = {
  passed: { tone: 'good', word: 'passed' },
  refused: { tone: 'bad', word: 'stopped' },
  not_reached: { tone: 'off', word: 'notReached' },
  not_needed: { tone: 'off', word: 'notNeeded' },
} as const;

/** The guard's answer to a request: the verdict, the call as a sentence, and every check in order. */
export function GuardResult({ result }: { result: CheckWire }) {
  const t = useTranslations('guard');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { refusal, is_replay: isReplay, call, checks } = result;
  return (
    <Panel className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4 p-4">
      <div>
        <h2
          ref={heading}
          tabIndex={-1}
          className={clsx('text-base font-semibold', refusal === null ? 'text-good' : 'text-danger')}
        >
          {refusal === null
            ? t(isReplay ? 'replayed' : 'admitted')
            : t('refused', { status: String(refusal.status), code: refusal.code })}
        </h2>
        <p className="text-ink-soft mt-1 wrap-anywhere">
          {refusal === null ? t(isReplay ? 'replayedText' : 'admittedText') : refusal.message}
        </p>
        {refusal === null || refusal.issues.length < 2 ? null : (
          <ul className="text-ink-soft mt-1 list-disc pl-5">
            {refusal.issues.map(({ path, message }) => (
              <li key={path + message}>
                <span className="font-mono text-xs">{path}</span> {message}
              </li>
            ))}
          </ul>
        )}
      </div>
      {call === null ? null : (
        <div>
          <h3 className="font-medium">{t('whatItDoes')}</h3>
          <p className="wrap-anywhere">{call.sentence}</p>
          <p className="text-ink-soft font-mono text-xs">{call.operation}</p>
        </div>
      )}
      {call?.sentinel == null ? null : (
        <div className="grid gap-1.5">
          <CodeBlock label={t('sentinel')} text={call.sentinel.expected} copy={t('copySentinel')} />
          <p className="text-ink-soft flex flex-wrap items-center gap-2 text-xs">
            <Badge tone={call.sentinel.matches ? 'good' : 'bad'}>
              {call.sentinel.matches ? t('sentinelMatches') : t('sentinelMissing')}
            </Badge>
            {t('sentinelHint')}
          </p>
        </div>
      )}
      <div>
        <h3 className="mb-1 font-medium">{t('checks')}</h3>
        <ol className="divide-line divide-y">
          {checks.map(({ step, result: outcome }, index) => (
            <li key={step} className="flex items-center gap-3 py-1.5">
              <span aria-hidden className="text-ink-soft w-5 text-right text-xs tabular-nums">
                {index + 1}
              </span>
              <span
                className={clsx(
                  'min-w-0 flex-1',
                  (outcome === 'not_reached' || outcome === 'not_needed') && 'text-ink-soft',
                )}
              >
                {t(`step.${step}`)}
              </span>
              <Badge tone={RESULTS[outcome].tone}>{t(RESULTS[outcome].word)}</Badge>
            </li>
          ))}
        </ol>
      </div>
    </Panel>
  );
}
