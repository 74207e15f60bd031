export { createTaskDetails, createTaskLoading, withAllPictures, withPicturesIfPossible } from './details.ts';
export { DownloadFailed, EmptyFile, FileTooLarge, fileChunks, transferFile } from './transfer.ts';
