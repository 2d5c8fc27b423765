import { lexer, type Token, type Tokens } from "marked";
import { type ReactNode, useMemo } from "react";

/** Shows Markdown. HTML in it appears as text, and only web and mail addresses become links. */
export function Markdown({ text }: { text: string }): ReactNode {
  const tokens = useMemo(() => lexer(text), [text]);
  return <div className="markdown">{tokens.map(block)}</div>;
}

function block(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      // All headings of a text are one level below those of the page.
      return <h3 key={key}>{inlines(token)}</h3>;
    case "paragraph":
      return <p key={key}>{inlines(token)}</p>;
    case "code":
      return <pre key={key}>{(token as Tokens.Code).text}</pre>;
    case "blockquote":
      return <blockquote key={key}>{(token.tokens ?? []).map(block)}</blockquote>;
    case "list":
      return <List key={key} token={token as Tokens.List} />;
    case "table":
      return <Table key={key} token={token as Tokens.Table} />;
    case "hr":
      return <hr key={key} />;
    case "text":
      return <span key={key}>{inlines(token)}</span>;
    default:
      return <p key={key}>{token.raw}</p>;
  }
}

function List({ token: { ordered, items, start } }: { token: Tokens.List }): ReactNode {
  const rows = items.map((item, key) => (
    <li key={key}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled />}
      {item.tokens.map(block)}
    </li>
  ));
  return ordered ? <ol start={start === "" ? 1 : start}>{rows}</ol> : <ul>{rows}</ul>;
}

function Table({ token: { header, rows } }: { token: Tokens.Table }): ReactNode {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, key) => (
              <th key={key}>{cell.tokens.map(inline)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, key) => (
                <td key={key}>{cell.tokens.map(inline)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlines(token: Token): ReactNode {
  const { tokens } = token as Tokens.Generic;
  return tokens === undefined ? decode((token as Tokens.Text).text) : tokens.map(inline);
}

function inline(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inlines(token)}</strong>;
    case "em":
      return <em key={key}>{inlines(token)}</em>;
    case "del":
      return <del key={key}>{inlines(token)}</del>;
    case "codespan":
      return <code key={key}>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return <Link key={key} token={token as Tokens.Link} />;
    case "text":
    case "escape":
      return <span key={key}>{inlines(token)}</span>;
    // HTML and images appear as the model wrote them.
    default:
      return <span key={key}>{token.raw}</span>;
  }
}

function Link({ token }: { token: Tokens.Link }): ReactNode {
  if (!/^(?:https?:\/\/|mailto:)/i.test(token.href)) return <span>{token.raw}</span>;
  return (
    <a href={token.href} target="_blank" rel="noreferrer noopener">
      {inlines(token)}
    </a>
  );
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** Decodes a token's text, in which some characters are HTML entities. */
function decode(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}
