// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {RouterOnly} from "./RouterOnly.sol";
import {TokenCalls} from "./TokenCalls.sol";

/// @title One merchant's operator for mandates: what payers approve who have signed one
/// @notice NOT AUDITED. An EIP-1167 clone of this stands (or will stand, from the first charge on) at
/// `Router.mandateOperatorOf(merchant)`. The router uses it for charges that keep to a mandate, and for nothing else: an
/// allowance given to it is out of reach of every other charge. It holds nothing, and has no owner and no storage.
contract MandateOperator is RouterOnly {
    /// @notice Moves each amount of `token` from `from`, who has approved this operator, straight to its recipient.
    /// Reverts with SharePullFailed if the token refuses one, and with ShareMismatch if another amount arrives.
    function pull(
        address token,
        address from,
        address[] calldata to,
        uint256[] calldata amounts
    ) external onlyRouter {
        for (uint256 i; i < to.length; ++i) {
            if (amounts[i] == 0) continue;
            uint256 before = _balance(token, to[i]);
            uint256 given = gasleft();
            if (!TokenCalls.pull(token, from, to[i], amounts[i])) revert SharePullFailed(i, TokenCalls.why(given));
            uint256 balance = _balance(token, to[i]);
            uint256 arrived = balance > before ? balance - before : 0;
            if (arrived != amounts[i]) revert ArrivalMismatch(arrived, amounts[i]);
        }
    }

    function _balance(address token, address account) private view returns (uint256) {
        uint256 given = gasleft();
        (bool done, uint256 balance) = TokenCalls.balanceOf(token, account);
        if (!done) revert BalanceFailed(TokenCalls.why(given));
        return balance;
    }
}
