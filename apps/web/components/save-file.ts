/** Lets the browser download a file. The page stays, also if there is an error in place of the file. */
export function saveFile(href: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = '';
  link.click();
}
