export type { PictureReading } from './picture-reader.ts';
export { connectedTasks, createEvidenceSearch, looksAlike } from './search.ts';
