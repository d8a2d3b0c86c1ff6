'use client';

import type { FileSource } from '@bailiff/core/imports';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { Button, buttonClass } from '#components/ui/button.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { Field, SelectField } from '#components/ui/field.tsx';
import { FileButton } from '#components/ui/file-button.tsx';
import { useApi } from '#components/use-call.ts';
import { useLook } from '#components/use-look.ts';
import { useHeldRefreshes, useRefresh } from '#components/use-refresh.ts';
import type { Fate, LineFate } from '#src/import-file.ts';
import { callsInPace, whenAllowed } from './when-allowed.ts';

const SOURCES = ['bailiff', 'zeppelin', 'masz', 'csv'] as const satisfies readonly FileSource[];
const NAMES = { bailiff: 'Bailiff', zeppelin: 'Zeppelin', masz: 'MASZ', csv: 'CSV' } as const;

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
/** For all files, since all of them are sent with the same session. */
const inPace = callsInPace(() => performance.now(), pause);

interface Result {
  readonly isDry: boolean;
  readonly counts: Record<'come' | 'known' | 'refused', number>;
  /** The address of a file with the fate of each row. */
  readonly href: string;
}

/** The form that imports a file: it first says what would come, then brings it. */
export function ImportForm({ guildId }: { guildId: string }) {
  const t = useTranslations('settings');
  const ask = useApi();
  const look = useLook(guildId);
  const refresh = useRefresh();
  const [source, setSource] = useState<FileSource>('zeppelin');
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<number | null>(null);
  /** For how many seconds the next step waits. */
  const [wait, setWait] = useState<number | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const [failure, setFailure] = useState<CallFailure | null>(null);

  /** Forgets what was said of another file or source. */
  const forget = () => {
    setResult(null);
    setFailure(null);
  };
  const post = <Answer,>(path: string, body: object) =>
    whenAllowed(
      () => inPace(() => ask<Answer>('POST', `/api/guilds/${guildId}/${path}`, body)),
      async (seconds) => {
        setWait(seconds);
        await pause(seconds * 1000);
        setWait(null);
      },
    );
  /** Sends the whole file. Returns the fates of its rows, or what failed. */
  const send = async (chosen: File, path: string, more: object): Promise<LineFate[] | CallFailure> => {
    const { sendFile, textOf } = await import('#src/import-file.ts');
    let failed: CallFailure | null = null;
    const fates = await sendFile(
      textOf(chosen),
      source,
      async (rows) => {
        const answer = await post<{ fates: Fate[] }>(path, { ...more, rows });
        if (!(answer instanceof CallFailure)) return answer.fates;
        failed = answer;
        return null;
      },
      setProgress,
    );
    return fates ?? failed ?? new CallFailure(t('imports.failed'));
  };
  const bring = async (chosen: File): Promise<LineFate[] | CallFailure> => {
    const { nameOfFile } = await import('#src/import-file.ts');
    const begun = await post<{ import_id: string }>('imports', {
      source,
      file_name: nameOfFile(chosen),
      file_size: chosen.size,
    });
    if (begun instanceof CallFailure) return begun;
    const path = `imports/${begun.import_id}`;
    const fates = await send(chosen, `${path}/rows`, {});
    if (fates instanceof CallFailure) return fates;
    const finished = await post(`${path}/finish`, {});
    return finished instanceof CallFailure ? finished : fates;
  };
  const tell = async (isDry: boolean, fates: LineFate[] | CallFailure) => {
    if (fates instanceof CallFailure) return setFailure(fates);
    if (fates.length === 0) return setFailure(new CallFailure(t('imports.empty')));
    const { countFates } = await import('#src/import-file.ts');
    const lines = fates.map((fate) => `${JSON.stringify(fate)}\n`);
    const href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
    setResult({ isDry, counts: countFates(fates), href });
  };
  const run = async (isDry: boolean) => {
    if (file === null) return;
    forget();
    setProgress(0);
    const reading = isDry ? send(file, 'import-checks', { source }) : bring(file);
    // Browsers read no file that has changed since it was chosen.
    const failed = async (error: unknown) => {
      const { NotUtf8 } = await import('#src/import-file.ts');
      return new CallFailure(t(error instanceof NotUtf8 ? 'imports.notUtf8' : 'imports.unreadable'));
    };
    try {
      await tell(isDry, await reading.catch(failed));
    } catch {
      // Not even this part of the page could be loaded.
      setFailure(new CallFailure(t('imports.failed')));
    }
    // Held refreshes go on after it, and have to know whether Bailiff still answers.
    const state = await look();
    setProgress(null);
    if (!isDry && state !== null) refresh();
  };
  const check = (event: FormEvent) => {
    event.preventDefault();
    void run(true);
  };
  const isBusy = progress !== null;
  useHeldRefreshes(isBusy);
  return (
    <form onSubmit={check} className="grid gap-4 p-4">
      <SelectField
        label={t('imports.source')}
        value={source}
        disabled={isBusy}
        onChange={({ target }) => {
          setSource(SOURCES.find((each) => each === target.value) ?? source);
          forget();
        }}
      >
        {SOURCES.map((each) => (
          <option key={each} value={each}>
            {NAMES[each]}
          </option>
        ))}
      </SelectField>
      <Field label={t('imports.file')} hint={t(`imports.hint.${source}`)}>
        {(attributes) => (
          <div className="flex flex-wrap items-center gap-3">
            <FileButton
              {...attributes}
              accept=".json,.jsonl,.ndjson,.csv,.txt"
              disabled={isBusy}
              // The same file can be chosen again.
              onClick={({ currentTarget }) => {
                currentTarget.value = '';
              }}
              onChange={({ target }) => {
                setFile(target.files?.[0] ?? null);
                forget();
              }}
            >
              {t('imports.choose')}
            </FileButton>
            <bdi className="min-w-0 wrap-anywhere">{file === null ? t('imports.noFile') : file.name}</bdi>
          </div>
        )}
      </Field>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          variant={result?.isDry ? 'plain' : 'primary'}
          disabled={isBusy || file === null}
        >
          {t('imports.check')}
        </Button>
        {result?.isDry && result.counts.come > 0 ? (
          <Button variant="primary" disabled={isBusy} onClick={() => void run(false)}>
            {t('imports.bring', { count: result.counts.come })}
          </Button>
        ) : null}
      </div>
      <div role="status">
        {progress === null ? null : t('imports.progress', { count: progress })}{' '}
        {wait === null ? null : t('imports.goesOn', { seconds: wait })}
        {result === null ? null : (
          <p>
            {t(result.isDry ? 'imports.would' : 'imports.did', result.counts)}{' '}
            <a className={buttonClass('plain', 'small')} href={result.href} download="import-result.jsonl">
              {t('imports.result')}
            </a>
          </p>
        )}
      </div>
      <Failure failure={failure} />
    </form>
  );
}
