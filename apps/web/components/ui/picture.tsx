/** A person's picture, or the first letter of their name. It says nothing to a screen reader: the name stands beside. */
export function Picture({ name, src = null }: { name: string; src?: string | null }) {
  const shape = 'mt-0.5 size-9 shrink-0 rounded-full';
  // biome-ignore lint/performance/noImgElement: the browser takes it from Discord, and this server fetches nothing
  if (src !== null) return <img src={src} alt="" width={36} height={36} className={shape} />;
  return (
    <span
      aria-hidden
      className={`bg-accent-tint text-accent grid place-items-center font-medium uppercase ${shape}`}
    >
      {Array.from(name)[0] ?? '?'}
    </span>
  );
}
