import type { ReactNode } from 'react';
import type { SlackFile } from '../model.ts';

/** Formats a size as Slack rounds it: `1.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Renders the files of a message: images as pictures, the rest by name. */
export function Files({ files }: { files: SlackFile[] }): ReactNode {
  if (files.length === 0) return null;
  return (
    <div className="files">
      {files.map((file) =>
        file.mimetype.startsWith('image/') ? (
          <figure key={file.id}>
            <figcaption>{file.title || file.name}</figcaption>
            <a href={file.sandbox_url} target="_blank" rel="noopener noreferrer">
              <img src={file.sandbox_url} alt={file.alt_text ?? file.name} />
            </a>
          </figure>
        ) : (
          <a key={file.id} className="file" href={file.sandbox_url} download={file.name}>
            <strong>{file.title || file.name}</strong>
            <small>
              {file.filetype.toUpperCase()} · {sizeText(file.size)}
            </small>
          </a>
        ),
      )}
    </div>
  );
}
