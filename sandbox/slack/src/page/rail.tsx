import { Bookmark, Columns2, Globe, House, type LucideIcon, Monitor, Moon, Square, Sun } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { isBeside } from './split.tsx';
import { type ChosenTheme, chooseTheme, chosenTheme } from './theme.ts';
import type { Location } from './use-address.ts';

const themes: Readonly<Record<ChosenTheme, { icon: LucideIcon; name: string; next: ChosenTheme }>> = {
  system: { icon: Monitor, name: 'Theme of the system', next: 'light' },
  light: { icon: Sun, name: 'Light theme', next: 'dark' },
  dark: { icon: Moon, name: 'Dark theme', next: 'system' },
};

/** Renders the narrow bar at the edge: channels, saved messages, and the theme. */
export function Rail(props: {
  team: string;
  location: Location;
  /** Back to the channels. */
  onHome(): void;
  onLocation(location: Location): void;
  /** Shows another person side by side, or this one alone. */
  onBeside(): void;
  /** Whether the world panel is open, and the function that toggles it. */
  readonly worldOpen: boolean;
  onWorld(): void;
}): ReactNode {
  const isSaved = props.location === 'saved';
  return (
    <nav className="rail" aria-label="Views" data-region="rail">
      <span className="team" aria-hidden="true">
        {[...props.team][0]}
      </span>
      <RailButton icon={House} name="Home" isHere={!isSaved} onPress={props.onHome} />
      <RailButton icon={Bookmark} name="Later" isHere={isSaved} onPress={() => props.onLocation('saved')} />
      <RailButton
        icon={isBeside ? Square : Columns2}
        name={isBeside ? 'Alone' : 'Beside'}
        onPress={props.onBeside}
      />
      <RailButton icon={Globe} name="World" isPressed={props.worldOpen} onPress={props.onWorld} />
      <ThemeButton />
    </nav>
  );
}

function RailButton(props: {
  icon: LucideIcon;
  name: string;
  isHere?: boolean;
  isPressed?: boolean;
  onPress(): void;
}): ReactNode {
  const Icon = props.icon;
  return (
    <button
      type="button"
      aria-current={props.isHere ? 'page' : undefined}
      aria-pressed={props.isPressed}
      onClick={props.onPress}
    >
      <span className="tile">
        <Icon size={19} aria-hidden="true" />
      </span>
      {props.name}
    </button>
  );
}

/** Renders the button that cycles through the system's, the light and the dark theme. */
function ThemeButton(): ReactNode {
  const [theme, setTheme] = useState(chosenTheme);
  const { icon: Icon, name, next } = themes[theme];
  return (
    <button
      type="button"
      className="theme-button"
      title={`${name}. Press for: ${themes[next].name.toLowerCase()}`}
      aria-label={`${name}. Press for: ${themes[next].name.toLowerCase()}`}
      onClick={() => {
        chooseTheme(next);
        setTheme(next);
      }}
    >
      <span className="tile">
        <Icon size={19} aria-hidden="true" />
      </span>
      Theme
    </button>
  );
}
