import { type Container, Markdown, Text } from "@earendil-works/pi-tui";
import { createHighlightCode } from "./highlight-code.ts";
import type { Theme } from "./theme.ts";
import { cleanLine, cleanText } from "../../terminal/clean-text.ts";

/** Texts and thoughts of an agent, which arrive in pieces. */
export interface TextBlocks {
  /** Adds a piece to the text with this id, as Markdown. */
  addText(id: string, piece: string): void;
  /** Adds a piece to the thought with this id, which takes one line until it is opened. */
  addThought(id: string, piece: string): void;
  /** Opens or closes thoughts. */
  open(isOpen: boolean): void;
}

/** The number of characters that a closed thought shows. */
const closedCharacters = 100;

/** Creates the texts of a conversation. They are added to `parent` in the order in which they begin. */
export function createTextBlocks(parent: Container, theme: Theme): TextBlocks {
  const texts = new Map<string, { text: string; block: Markdown }>();
  const thoughts = new Map<string, { text: string; block: Text }>();
  const markdown = { ...theme.markdown, highlightCode: createHighlightCode(theme.paint) };
  let isOpen = false;

  function showThought({ text, block }: { text: string; block: Text }): void {
    const clean = cleanText(text).trim();
    const shown = isOpen ? clean : `✻ ${cleanLine(clean).slice(0, closedCharacters)}`;
    block.setText(theme.paint("dim", shown));
  }

  return {
    addText(id, piece) {
      let entry = texts.get(id);
      if (entry === undefined) {
        entry = { text: "", block: new Markdown("", 0, 1, markdown) };
        texts.set(id, entry);
        parent.addChild(entry.block);
      }
      entry.text += piece;
      entry.block.setText(cleanText(entry.text));
    },
    addThought(id, piece) {
      let thought = thoughts.get(id);
      if (thought === undefined) {
        thought = { text: "", block: new Text("", 0, 0) };
        thoughts.set(id, thought);
        parent.addChild(thought.block);
      }
      thought.text += piece;
      showThought(thought);
    },
    open(wanted) {
      isOpen = wanted;
      for (const thought of thoughts.values()) showThought(thought);
    },
  };
}
