import { Fragment } from 'react';

/** A word as it is on the wire. */
export function Wire({ children }: { children: string }) {
  return <code className="font-mono text-[0.92em] wrap-anywhere">{children}</code>;
}

/** A long name of a table's first column: where there is no room it breaks between its words only. */
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
