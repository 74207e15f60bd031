import type { FileInput } from '@slack/types';
import { type ChangeEvent, type ReactNode, useState } from 'react';
import type { ActResult, SlackFile } from '../../model.ts';
import { act } from '../api.ts';
import { sizeText } from '../files.tsx';
import { useViewer } from '../viewer.ts';
import { type ElementProps, useElement } from './use-element.ts';

/** Renders a file input. Files are uploaded as soon as they are chosen; the submission contains the uploaded files. */
export function FileInputElement(props: ElementProps<FileInput>): ReactNode {
  const viewer = useViewer();
  const handle = useElement(props);
  const [uploading, setUploading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const max = props.element.max_files ?? 10;
  const files = Array.isArray(handle.value) ? (handle.value as SlackFile[]) : [];

  const onChange = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const chosen = [...(event.target.files ?? [])];
    event.target.value = '';
    if (files.length + chosen.length > max)
      return setProblem(`At most ${max} ${max === 1 ? 'file' : 'files'}.`);
    setUploading(true);
    const results = await Promise.all(chosen.map((file) => upload(viewer.as, file)));
    setUploading(false);
    const uploaded = results.flatMap((result) => (result.ok && result.file ? [result.file] : []));
    setProblem(uploaded.length < chosen.length ? 'A file could not be uploaded. Try again.' : undefined);
    handle.keep([...files, ...uploaded]);
  };

  return (
    <div className="file-input">
      {files.map((file) => (
        <span key={file.id} className="chip">
          {file.name} <small>{sizeText(file.size)}</small>
          <button
            type="button"
            aria-label={`Remove ${file.name}`}
            onClick={() => handle.keep(files.filter(({ id }) => id !== file.id))}
          >
            ×
          </button>
        </span>
      ))}
      <input
        type="file"
        aria-label={props.label}
        aria-busy={uploading}
        aria-invalid={props.errorId !== undefined}
        aria-describedby={props.errorId}
        multiple={max > 1}
        accept={props.element.filetypes?.map((type) => `.${type}`).join(',')}
        onChange={(event) => void onChange(event)}
      />
      {uploading && <small className="quiet">Uploading…</small>}
      {problem && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
    </div>
  );
}

async function upload(user: string, file: File): Promise<ActResult & { file?: SlackFile }> {
  return act<{ file: SlackFile }>('upload', {
    user,
    filename: file.name,
    base64: await base64Of(file),
    content_type: file.type || 'application/octet-stream',
  });
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).replace(/^data:[^,]*,/, ''));
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'));
    reader.readAsDataURL(file);
  });
}
