// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title For tests: an ordinary token that turns against its callers as it is told
contract HostileToken is ERC20("Hostile", "HOST") {
    enum Mode {
        Honest,
        BurnsGasOnPull,
        BurnsGasOnPush,
        BurnsGasOnBalance,
        BombsOnPull,
        BombsOnPush,
        BombsOnBalance,
        AnswersWithMegabytes,
        AnswersBalanceShort,
        LiesOnPull,
        LiesOnPush,
        SkimsOnPush,
        CallsBack,
        RevertsInSilence,
        KeepsFee,
        AnswersPullWithFalse,
        AnswersPushWithFalse
    }

    uint256 private constant BOMB_SIZE = 200_000;

    Mode public mode;
    address private _target;
    bytes private _callback;

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setMode(Mode value) external {
        mode = value;
    }

    /// @notice In the mode CallsBack: what is called in the middle of a pull. What it reverts with, the pull reverts
    /// with.
    function setCallback(address target, bytes calldata data) external {
        _target = target;
        _callback = data;
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        if (mode == Mode.BurnsGasOnPull) _burnGas();
        if (mode == Mode.BombsOnPull) _bomb();
        if (mode == Mode.LiesOnPull) return true;
        if (mode == Mode.AnswersPullWithFalse) return false;
        if (mode == Mode.CallsBack) _callBack();
        if (mode == Mode.RevertsInSilence) _silence();
        bool done = super.transferFrom(from, to, value);
        if (mode == Mode.AnswersWithMegabytes) _answerLong();
        return done;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        if (mode == Mode.BurnsGasOnPush) _burnGas();
        if (mode == Mode.BombsOnPush) _bomb();
        if (mode == Mode.LiesOnPush) return true;
        if (mode == Mode.AnswersPushWithFalse) return false;
        if (mode == Mode.SkimsOnPush) _burn(msg.sender, 1);
        return super.transfer(to, value);
    }

    function balanceOf(address account) public view override returns (uint256) {
        if (mode == Mode.BurnsGasOnBalance) _burnGas();
        if (mode == Mode.BombsOnBalance) _bomb();
        if (mode == Mode.AnswersBalanceShort) {
            assembly ("memory-safe") {
                return(0x00, 0x10)
            }
        }
        return super.balanceOf(account);
    }

    /// @notice Takes any other call without doing anything, as some wrapped coins do: also one of `permit`.
    fallback() external {}

    /// @dev In the mode KeepsFee one in a hundred of every transfer is burned on the way.
    function _update(address from, address to, uint256 value) internal override {
        if (mode != Mode.KeepsFee || from == address(0) || to == address(0)) return super._update(from, to, value);
        super._update(from, address(0), value / 100);
        super._update(from, to, value - value / 100);
    }

    function _callBack() private {
        (bool done, bytes memory answer) = _target.call(_callback);
        if (done) return;
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mload(answer))
        }
    }

    function _burnGas() private pure {
        while (true) {}
    }

    function _bomb() private pure {
        assembly {
            revert(0x80, BOMB_SIZE)
        }
    }

    function _silence() private pure {
        assembly ("memory-safe") {
            revert(0x00, 0x00)
        }
    }

    function _answerLong() private pure {
        assembly {
            mstore(0x00, 1)
            return(0x00, BOMB_SIZE)
        }
    }
}
