import type { SavedReason } from './reason.ts';

type StartingReason = Pick<SavedReason, 'id' | 'verdict' | 'name' | 'text'>;

/** The reasons every account starts with. They can be changed and removed; ids are permanent. */
export const startingReasons: readonly StartingReason[] = [
  {
    id: 'start.revise.incomplete',
    verdict: 'REVISE',
    name: 'Part of the proof is missing',
    text: 'Thank you for your work. Part of the proof is missing, so we cannot accept it yet. We asked for:\n{asked}\n\nPlease add what is missing and submit it again.',
  },
  {
    id: 'start.revise.unclear',
    verdict: 'REVISE',
    name: 'The picture is blurry or dark',
    text: 'Thank you for your work. The picture is too blurry or too dark for us to check. Please take it again in good light, so that every detail can be read, and submit it again.',
  },
  {
    id: 'start.revise.cropped',
    verdict: 'REVISE',
    name: 'The picture does not show everything',
    text: 'Thank you for your work. The picture does not show everything we need to see. Please send one that shows the whole screen or item, without cropping it.',
  },
  {
    id: 'start.revise.link',
    verdict: 'REVISE',
    name: 'The link does not open',
    text: 'Thank you for your work. The link you sent does not open. Please check that it is complete and that it can be viewed without signing in, then submit it again.',
  },
  {
    id: 'start.revise.file',
    verdict: 'REVISE',
    name: 'The file does not open',
    text: 'Thank you for your work. The file you sent does not open. Please submit it again in a common format, such as JPG, PNG or PDF.',
  },
  {
    id: 'start.revise.short',
    verdict: 'REVISE',
    name: 'The answer is too short',
    text: 'Thank you for your work. Your answer is too short for us to see what you did. Please describe in two or three sentences what you did and what you found, then submit it again.',
  },
  {
    id: 'start.revise.language',
    verdict: 'REVISE',
    name: 'The answer is in another language',
    text: 'Thank you for your work. Please write your answer in the language that the instructions ask for, then submit it again.',
  },
  {
    id: 'start.nok.missing',
    verdict: 'NOK',
    name: 'The proof does not show the work',
    text: 'We could not accept this task, because the proof does not show that the work was done. We asked for:\n{asked}',
  },
  {
    id: 'start.nok.instructions',
    verdict: 'NOK',
    name: 'The instructions were not followed',
    text: 'We could not accept this task, because the work does not follow the instructions of “{campaign}”. We asked for:\n{asked}',
  },
  {
    id: 'start.nok.other',
    verdict: 'NOK',
    name: 'It shows something else',
    text: 'We could not accept this task, because the proof shows a different place, product or page from the one we asked for.',
  },
  {
    id: 'start.nok.copied',
    verdict: 'NOK',
    name: 'Taken from somewhere else',
    text: 'We could not accept this task, because the picture or text was taken from somewhere else. Each task needs your own work.',
  },
  {
    id: 'start.nok.repeated',
    verdict: 'NOK',
    name: 'Same proof as in another task',
    text: 'We could not accept this task, because the same proof was already submitted for another task. Each task needs new work.',
  },
  {
    id: 'start.nok.revision',
    verdict: 'NOK',
    name: 'Still incomplete after a revision',
    text: 'We could not accept this task. We asked you to correct it, but the proof is still incomplete.',
  },
];

const ids = new Set(startingReasons.map(({ id }) => id));

/** Returns whether a reason belongs to the starting set, even if it was changed. */
export function isStarting(id: string): boolean {
  return ids.has(id);
}
