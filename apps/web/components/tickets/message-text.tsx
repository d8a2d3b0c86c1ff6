import { type Markdown, readMarkdown, showUnseen } from '@bailiff/core';
import { Fragment, type ReactNode } from 'react';
import { RelativeTime } from '#components/ui/relative-time.tsx';

/** The names of the users, roles and channels that a message mentions, by id. */
export interface Mentioned {
  readonly people: Readonly<Record<string, string>>;
  readonly roles: Readonly<Record<string, string>>;
}

/** The text of a Discord message. All of it is rendered as text, and nothing is loaded from other sites. */
export function MessageText({ text, mentioned }: { text: string; mentioned: Mentioned }) {
  return <div className="whitespace-pre-wrap wrap-anywhere">{shown(readMarkdown(text), mentioned)}</div>;
}

function shown(nodes: readonly Markdown[], mentioned: Mentioned): ReactNode {
  return nodes.map((node, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a message that was sent does not change
    <Fragment key={index}>{partOf(node, mentioned)}</Fragment>
  ));
}

/** The text with the characters written out that nobody sees: they could turn it around. */
const written = (text: string) => showUnseen(text, '\n\t');

const MENTION = 'bg-accent-tint text-accent rounded px-0.5';

function partOf(node: Markdown, mentioned: Mentioned): ReactNode {
  switch (node.type) {
    case 'text':
    case 'emoji':
      return written(node.text);
    case 'code':
      return <code className="bg-raised rounded px-1 font-mono text-xs">{written(node.text)}</code>;
    case 'block':
      return (
        <pre className="bg-raised my-1 rounded p-2 font-mono text-xs whitespace-pre-wrap">
          {written(node.text)}
        </pre>
      );
    case 'link':
      return (
        <a
          href={node.text}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="text-accent underline decoration-accent/40 underline-offset-2"
        >
          {written(node.text)}
        </a>
      );
    case 'user':
      return <bdi className={MENTION}>@{mentioned.people[node.id] ?? node.id}</bdi>;
    case 'role':
      return <bdi className={MENTION}>@{mentioned.roles[node.id] ?? node.id}</bdi>;
    case 'channel':
      return <span className={MENTION}>#{node.id}</span>;
    case 'time':
      return <RelativeTime iso={node.iso} />;
    case 'quote':
      return (
        <blockquote className="border-line-strong border-l-2 pl-2">
          {shown(node.children, mentioned)}
        </blockquote>
      );
    case 'bold':
      return <strong>{shown(node.children, mentioned)}</strong>;
    case 'italic':
      return <em>{shown(node.children, mentioned)}</em>;
    case 'underline':
      return <u>{shown(node.children, mentioned)}</u>;
    case 'strike':
      return <s>{shown(node.children, mentioned)}</s>;
    case 'spoiler':
      return <span className="bg-raised rounded px-0.5">{shown(node.children, mentioned)}</span>;
  }
}
