/** Those who are served at the moment, at most so many. */
export interface GuestList<Guest> {
  /** The guest of that name, who was here just now. */
  find(name: string): Guest | undefined;
  /** Lets one more in, in the place of the one who was quiet longest; `false` when all are busy. */
  enter(name: string, guest: Guest): boolean;
  leave(name: string): void;
  all(): Guest[];
}

/** What {@link createGuestList} needs. */
export interface GuestListOptions<Guest> {
  most: number;
  isBusy: (guest: Guest) => boolean;
  /** Told of one who had to make place. */
  onEvicted: (guest: Guest) => void;
}

/** A list without guests. */
export function createGuestList<Guest>(options: GuestListOptions<Guest>): GuestList<Guest> {
  /** Whoever was here last is at the end. */
  const guests = new Map<string, Guest>();

  function makePlace(): boolean {
    if (guests.size < options.most) return true;
    for (const [name, guest] of guests) {
      if (options.isBusy(guest)) continue;
      guests.delete(name);
      options.onEvicted(guest);
      return true;
    }
    return false;
  }

  return {
    find(name) {
      const guest = guests.get(name);
      if (guest === undefined) return undefined;
      guests.delete(name);
      guests.set(name, guest);
      return guest;
    },
    enter(name, guest) {
      if (!makePlace()) return false;
      guests.set(name, guest);
      return true;
    },
    leave: (name) => void guests.delete(name),
    all: () => [...guests.values()],
  };
}
