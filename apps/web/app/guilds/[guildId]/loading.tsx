/** The shape of a page while it is made. */
export default function Loading() {
  return (
    <div aria-busy="true" className="animate-pulse">
      <h1 className="sr-only">Loading</h1>
      <div className="bg-raised mb-3 h-7 w-48 rounded" />
      <div className="bg-raised mb-6 h-4 w-80 max-w-full rounded" />
      <div className="border-line bg-surface h-64 rounded-lg border" />
    </div>
  );
}
