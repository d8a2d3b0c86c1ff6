/** A file as the control endpoints take it. */
export interface AttachedFile {
  readonly filename: string;
  readonly content_type: string;
  readonly base64: string;
}

export function readFile(file: File): Promise<AttachedFile> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('error', () => reject(new Error(`${file.name} cannot be read.`)));
    reader.addEventListener('load', () => {
      const [, base64 = ''] = String(reader.result).split(',');
      resolve({ filename: file.name, content_type: file.type || 'application/octet-stream', base64 });
    });
    reader.readAsDataURL(file);
  });
}
