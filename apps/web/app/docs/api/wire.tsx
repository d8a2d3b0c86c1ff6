import { Fragment } from 'react';

/** A name as it appears on the wire. */
export function Wire({ children }: { children: string }) {
  return <code className="font-mono text-[0.92em] wrap-anywhere">{children}</code>;
}

/** A long name in the first column of a table. In a narrow column it breaks only between its words. */
export function BreakingName({ name }: { name: string }) {
  const words = name.split(/(?<=[a-z]_)/i);
  return (
    <code className="font-mono text-xs">
      {words.map((word, index) => (
        <Fragment key={words.slice(0, index + 1).join('')}>
          {index === 0 ? null : <wbr />}
          {word}
        </Fragment>
      ))}
    </code>
  );
}
