import { FileSpreadsheet, FileText } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SlackFile } from '../model.ts';
import { OpenablePicture, type Picture, usePictureViewer } from './picture-viewer.tsx';

/** Formats a size as Slack rounds it: `1.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Renders the files of a message: images as pictures that can be opened, others as download cards. */
export function Files({ files }: { files: SlackFile[] }): ReactNode {
  const open = usePictureViewer();
  if (files.length === 0) return null;
  const images = files.filter(isImage);
  const pictures = images.map(pictureOf);
  return (
    <div className="files">
      {files.map((file) =>
        isImage(file) ? (
          <figure key={file.id}>
            <figcaption>{file.title || file.name}</figcaption>
            <OpenablePicture
              picture={pictureOf(file)}
              onOpen={() => open?.(pictures, images.indexOf(file))}
            />
          </figure>
        ) : (
          <FileCard key={file.id} file={file} />
        ),
      )}
    </div>
  );
}

function FileCard({ file }: { file: SlackFile }): ReactNode {
  const Icon = file.filetype === 'csv' ? FileSpreadsheet : FileText;
  return (
    <a className="file" href={file.sandbox_url} download={file.name}>
      <span className="file-icon" data-type={file.filetype} aria-hidden="true">
        <Icon size={20} />
      </span>
      <strong>{file.title || file.name}</strong>
      <small className="quiet">
        {file.filetype.toUpperCase()} · {sizeText(file.size)}
      </small>
    </a>
  );
}

function isImage(file: SlackFile): boolean {
  return file.mimetype.startsWith('image/');
}

function pictureOf(file: SlackFile): Picture {
  return { url: file.sandbox_url, alt: file.alt_text ?? file.name, title: file.title || file.name };
}
