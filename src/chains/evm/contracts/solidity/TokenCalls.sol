// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";

import {Faults} from "./Faults.sol";

/// @title Calls of tokens that may misbehave
/// @notice NOT AUDITED. Every call of a token goes through here. No call reverts because of the token: it returns
/// whether it worked, and `why` gives the reason. At most MAX_REASON bytes of a token's revert data are copied, so a
/// token cannot make its caller pay for more.
library TokenCalls {
    using SafeERC20 for IERC20;

    /// @notice The most bytes of a token's revert data.
    uint256 internal constant MAX_REASON = 512;

    /// @notice `transferFrom` by the calling contract. A token without a return value counts as successful.
    function pull(address token, address from, address to, uint256 amount) internal returns (bool done) {
        return IERC20(token).trySafeTransferFrom(from, to, amount);
    }

    /// @notice `transfer` by the calling contract. A token without a return value counts as successful.
    function push(address token, address to, uint256 amount) internal returns (bool done) {
        return IERC20(token).trySafeTransfer(to, amount);
    }

    /// @notice `balanceOf(account)`. An answer shorter than a word counts as none.
    function balanceOf(address token, address account) internal view returns (bool done, uint256 balance) {
        return _read(token, abi.encodeCall(IERC20.balanceOf, (account)));
    }

    /// @notice `allowance(owner, spender)`. An answer shorter than a word counts as none.
    function allowance(address token, address owner, address spender) internal view returns (bool done, uint256 value) {
        return _read(token, abi.encodeCall(IERC20.allowance, (owner, spender)));
    }

    /// @notice Why the last call failed: its revert data or answer, or OutOfGas. Call it before any other call.
    /// @param given the gas before that call. A call passes on 63/64 of it. If the token returned nothing and less than
    /// an eighth is left, the token, or a contract that it called, ran out of gas
    function why(uint256 given) internal view returns (bytes memory reason) {
        reason = lastAnswer(MAX_REASON);
        if (reason.length == 0 && gasleft() < given / 8) return abi.encodeWithSelector(Faults.OutOfGas.selector, given);
    }

    /// @notice The data that the last call returned, at most `limit` bytes. Call it before any other call.
    function lastAnswer(uint256 limit) internal pure returns (bytes memory data) {
        assembly ("memory-safe") {
            let size := returndatasize()
            if gt(size, limit) {
                size := limit
            }
            data := mload(0x40)
            mstore(data, size)
            returndatacopy(add(data, 0x20), 0x00, size)
            mstore(0x40, and(add(add(data, size), 0x3f), not(0x1f)))
        }
    }

    function _read(address token, bytes memory data) private view returns (bool done, uint256 value) {
        (bool success, bytes32 word, ) = LowLevelCall.staticcallReturn64Bytes(token, data);
        done = success && LowLevelCall.returnDataSize() >= 32;
        if (done) value = uint256(word);
    }
}
