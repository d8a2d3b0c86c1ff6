import { Written } from '#components/ui/written.tsx';

/** Questions, each with its answer as it was written. */
export function Answers({ answers }: { answers: readonly { question: string; answer: string }[] }) {
  return (
    <dl className="grid gap-4">
      {answers.map(({ question, answer }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two questions may be the same, and their order never changes
        <div key={index}>
          <dt className="text-ink-soft wrap-anywhere">
            <Written text={question} />
          </dt>
          <dd className="mt-0.5 whitespace-pre-wrap wrap-anywhere">
            <Written text={answer} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
