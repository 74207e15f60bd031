export { type Money, money } from '../domain/money.ts';
export { isFileProofStatusFine } from './api-assumptions.ts';
export {
  createMarketplaceClient,
  createMethods,
  type MarketplaceClient,
} from './client.ts';
export { createDatetimes } from './datetimes.ts';
export { isWorkerSide } from './endpoints.ts';
export * from './errors.ts';
export { isReplayable } from './http.ts';
export { createPipeline, type Pipeline } from './pipeline.ts';
export { describeResultsProblems, type ResultsProblem } from './results-problems.ts';
export type * from './types.ts';
