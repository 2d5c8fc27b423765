import type { McpServer } from "@agentclientprotocol/sdk";
import { type Environment, httpLaunch, processLaunch } from "../extension/launch-config.ts";
import { describeLeftOut } from "../extension/left-out.ts";
import type { ExtensionConfig } from "../run/extension-config.ts";

/** The MCP servers an agent is told to use, and what the result should say about those it is not. */
export interface McpServerOffer {
  servers: McpServer[];
  warnings: string[];
}

/**
 * The extensions of a run in the form the protocol has. One whose tools are limited is left out: an agent that starts the
 * server itself would have all of them.
 *
 * @throws CadreError `tool-unavailable` for a variable that is not set, unless the extension is optional.
 */
export function toMcpServers(
  configs: readonly ExtensionConfig[],
  environment: Environment,
  takesHttp: boolean,
): McpServerOffer {
  const warnings: string[] = [];
  const toServers = (config: ExtensionConfig): McpServer[] => {
    const { name, allow, deny } = config;
    if (allow !== undefined || deny !== undefined) {
      warnings.push(
        `The runner did not get the extension ${name}: which of its tools may be used (allow, deny) cannot be kept there.`,
      );
      return [];
    }
    if (config.type === "stdio") {
      const { command, args, environment: variables } = processLaunch(config, environment);
      const env = Object.entries(variables).map(([key, value]) => ({ name: key, value }));
      return [{ name, command, args: [...args], env }];
    }
    if (!takesHttp) {
      warnings.push(`The runner did not get the extension ${name}: it takes no servers over HTTP.`);
      return [];
    }
    const { url, headers } = httpLaunch(config, environment);
    const pairs = [...headers].map(([key, value]) => ({ name: key, value }));
    return [{ type: "http", name, url: url.href, headers: pairs }];
  };
  const servers = configs.flatMap((config) => {
    try {
      return toServers(config);
    } catch (error) {
      warnings.push(describeLeftOut(config, error));
      return [];
    }
  });
  return { servers, warnings };
}
