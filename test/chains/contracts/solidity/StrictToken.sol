// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title For tests: a token that refuses approvals as USDT on Ethereum does, without a word from one amount to another,
/// and with a word of an account that it has blocked. Storage and answers are those of the test token of local chains, so
/// that its code can be put in the place of that one's.
contract StrictToken is ERC20("", "") {
    /// @notice Whether approvals by this account revert. Anybody may say so.
    mapping(address account => bool) public blocked;

    function setBlocked(address account, bool value) external {
        blocked[account] = value;
    }

    function symbol() public pure override returns (string memory) {
        return "USDT";
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function approve(address spender, uint256 value) public override returns (bool) {
        require(!blocked[msg.sender], "account is blocked");
        if (value != 0 && allowance(msg.sender, spender) != 0) {
            assembly ("memory-safe") {
                revert(0x00, 0x00)
            }
        }
        return super.approve(spender, value);
    }
}
