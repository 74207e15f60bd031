import { type ChaosSettings, longSettings, shortSettings } from './settings.ts';

/** The parsed command line. */
export type Wanted =
  | {
      readonly do: 'run';
      readonly settings: ChaosSettings;
      /** Only outages whose kind contains this. */
      readonly only?: string;
    }
  | { readonly do: 'defects'; readonly names: readonly string[] }
  | { readonly do: 'help'; readonly help: string; readonly problem?: string };

const names = ['seed', ...Object.keys(longSettings)];

const help = `npm run chaos                      the long run: a week; writes docs/chaos-report.md
npm run chaos -- --short           the short one, as in npm test
npm run chaos -- --seed 7          the same schedule of outages each time
npm run chaos -- --short --tasks 400
                                   another number for one of: ${names.join(', ')}
npm run chaos -- --short --only Redis
                                   only outages whose name contains that, to find the cause of a finding
npm run chaos -- --defects         breaks a copy of the project in every way of test/chaos/defects, and shows what finds
                                   it; --defects NAME … only those whose names contain one of these
npm run chaos -- --help            this`;

/** Parses the arguments. An unknown one results in the help text. */
export function readArguments(args: readonly string[]): Wanted {
  if (args.includes('--help') || args.includes('-h')) return { do: 'help', help };
  if (args[0] === '--defects') {
    const unknown = args.slice(1).find((argument) => argument.startsWith('-'));
    return unknown === undefined ? { do: 'defects', names: args.slice(1) } : refused(unknown);
  }
  const isShort = args.includes('--short');
  const rest = args.filter((argument) => argument !== '--short');
  const settings: Record<string, number> = {
    ...(isShort ? shortSettings : longSettings),
    seed: Math.floor(Math.random() * 1_000_000),
  };
  let only: string | undefined;
  for (let index = 0; index < rest.length; index += 2) {
    const [argument = '', text = ''] = rest.slice(index);
    if (argument === '--only' && text !== '') {
      only = text;
      continue;
    }
    const name = argument.replace(/^--/, '');
    if (!argument.startsWith('--') || !names.includes(name)) return refused(argument);
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value) || value < 0)
      return { do: 'help', help, problem: `${argument} needs a number, and not ${text || 'nothing'}.` };
    settings[name] = value;
  }
  return {
    do: 'run',
    settings: settings as unknown as ChaosSettings,
    ...(only === undefined ? {} : { only }),
  };
}

function refused(argument: string): Wanted {
  return { do: 'help', help, problem: `There is no such setting: ${argument}` };
}
