export { factsOfTask, workerHistoryOf } from './history.ts';
