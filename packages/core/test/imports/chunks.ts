/** A file that comes in chunks of so many characters. */
export async function* chunksOf(file: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < file.length; at += size) yield file.slice(at, at + size);
}

/** All that comes, in a list. */
export async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
